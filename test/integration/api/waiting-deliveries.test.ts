import type { DeliveryStatus } from '#lib/contract';
import { dueNow } from '#lib/event-store';
import { createId } from '#lib/runtime';
import { makeDue } from '../../../services/api/replays/waiting.ts';
import { eventFact } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

interface DeliveryJson {
  id: string;
  status: string;
  next_attempt_at: string | null;
}
interface Row {
  due_at: string | null;
  cancel_requested: boolean;
}

const createdAt = Date.UTC(2026, 0, 1) * 1000;
const inAYear = '2027-06-01T00:00:00.000000Z';
let api: OpenApi;
let tenant = '';
let tenants = 0;
beforeAll(async () => {
  api = await openApi();
});
beforeEach(() => {
  tenant = `t${(tenants += 1)}`;
});
afterAll(() => api.close());

const eventOf = (deliveryId: string): string => deliveryId.replace('dlv', 'evt');

const advance = (id: string, step: number, status: DeliveryStatus): Promise<void> =>
  project(api.postgres, [
    {
      kind: 'outcome',
      outcome: {
        kind: 'parked',
        tenant,
        event_id: eventOf(id),
        generation: 0,
        at: createdAt + step,
        delivery_id: id,
        endpoint_id: 'ep_a',
        ordering_key: null,
        step,
        attempt: step,
        status,
        created_at: createdAt,
        next_attempt_at: status === 'retrying' ? Date.parse(inAYear) * 1000 : null,
        detail: null,
      },
    },
  ]);

/** A delivery that has come to this, the way that deliveries do. */
async function deliveryOf(status: DeliveryStatus): Promise<string> {
  const id = createId('dlv', createdAt / 1000);
  const eventId = eventOf(id);
  const deliveries = [{ endpoint_id: 'ep_a', delivery_id: id }];
  await project(api.postgres, [
    eventFact({ tenant, eventId }),
    { kind: 'fan-out', fanOut: { tenant, event_id: eventId, generation: 0, at: createdAt, deliveries, chunk: null } },
  ]);
  if (status !== 'pending') await advance(id, 1, status);
  return id;
}

const ask = (id: string, action: 'retry' | 'cancel', whose = tenant) =>
  api.ask({ method: 'POST', path: `/v1/deliveries/${id}/${action}`, tenant: whose });
const read = async (id: string): Promise<DeliveryJson> =>
  (await api.ask({ path: `/v1/deliveries/${id}`, tenant })).json<DeliveryJson>();
const rowOf = async (id: string): Promise<Row | undefined> =>
  (
    await api.postgres.query<Row>(
      `SELECT w.due_at, d.cancel_requested
         FROM deliveries d
         LEFT JOIN waiting w ON w.tenant = d.tenant AND w.delivery_id = d.id
        WHERE d.tenant = $1 AND d.id = $2`,
      [tenant, id],
    )
  )[0];
const nowOfServer = async (): Promise<string> =>
  (await api.postgres.query<{ now: string }>('SELECT clock_timestamp() AS now'))[0]?.now ?? '';
const setRow = (id: string, set: string) =>
  api.postgres.query(`UPDATE waiting SET ${set} WHERE tenant = $1 AND delivery_id = $2`, [tenant, id]);

describe('a retry of a delivery that waits', () => {
  it('is due now, says so, and may be asked for again', async () => {
    const id = await deliveryOf('retrying');
    expect(await read(id)).toMatchObject({ status: 'retrying', next_attempt_at: inAYear });
    const before = await nowOfServer();
    const answer = await ask(id, 'retry');
    const after = await nowOfServer();
    expect(answer.status).toBe(202);
    const dueAt = (await rowOf(id))?.due_at ?? '';
    expect([before, dueAt, after]).toEqual([before, dueAt, after].sort());
    expect(answer.json()).toEqual({ ...(await read(id)), next_attempt_at: dueAt });
    const [listed] = (await api.ask({ path: `/v1/events/${eventOf(id)}/deliveries`, tenant })).json<DeliveryJson[]>();
    expect(listed).toEqual(answer.json());

    // A delivery that is due already keeps its place before those that became due since.
    expect((await ask(id, 'retry')).status).toBe(202);
    expect((await rowOf(id))?.due_at).toBe(dueAt);
  });

  it('is taken for one that is parked, which keeps its turn', async () => {
    const id = await deliveryOf('parked');
    const before = await rowOf(id);
    const answer = await ask(id, 'retry');
    expect([answer.status, answer.json()]).toEqual([202, expect.objectContaining({ id, status: 'parked' })]);
    expect(await rowOf(id)).toEqual(before);
  });

  const behind = `due_at = 'infinity', ordering_key = 'k', sequence = 7`;

  it('is refused where it waits for an earlier one of its key: their order stays', async () => {
    const id = await deliveryOf('retrying');
    await setRow(id, behind);
    const before = await rowOf(id);
    const answer = await ask(id, 'retry');
    expect(answer.json()).toMatchObject({ status: 409, code: 'conflict' });
    expect(answer.json<{ detail: string }>().detail).toMatch(/earlier delivery with the same ordering key/);
    expect(await rowOf(id)).toEqual(before);

    await setRow(id, `due_at = '${inAYear}'`);
    expect((await ask(id, 'retry')).status).toBe(202);
  });

  it.each([
    ['at once whatever its place', 'clock_timestamp()'],
    ['now where it is due earlier', 'least(w.due_at, clock_timestamp())'],
  ])('would be seen to break an order if it were due %s', async (_how, defective) => {
    const results: (Row | undefined)[] = [];
    for (const set of [dueNow('w'), defective]) {
      const id = await deliveryOf('retrying');
      await setRow(id, behind);
      await makeDue(api.postgres, tenant, id, set);
      results.push(await rowOf(id));
    }
    expect(results.map((row) => row?.due_at === 'infinity')).toEqual([true, false]);
  });

  it('is refused while it is in hand, once it has ended well, and where it is to be cancelled', async () => {
    const inHand = await deliveryOf('pending');
    expect((await ask(inHand, 'retry')).json()).toMatchObject({
      status: 409,
      detail: expect.stringMatching(/retry later/) as string,
    });
    for (const status of ['delivered', 'cancelled'] as const)
      expect((await ask(await deliveryOf(status), 'retry')).json()).toMatchObject({
        status: 409,
        detail: `The delivery is ${status}`,
      });
    const cancelled = await deliveryOf('retrying');
    await ask(cancelled, 'cancel');
    expect((await ask(cancelled, 'retry')).json()).toMatchObject({ status: 409 });
  });

  it('does not find another tenant’s', async () => {
    const id = await deliveryOf('retrying');
    const before = await rowOf(id);
    expect((await ask(id, 'retry', 'rival')).status).toBe(404);
    expect(await rowOf(id)).toEqual(before);
  });
});

describe('a cancellation', () => {
  it.each(['pending', 'retrying', 'parked'] as const)(
    'of one that is %s is asked for, once or twice',
    async (status) => {
      const id = await deliveryOf(status);
      const { due_at: dueAt } = (await rowOf(id)) ?? {};
      for (let times = 0; times < 2; times += 1) {
        const answer = await ask(id, 'cancel');
        expect([answer.status, answer.json()]).toEqual([202, expect.objectContaining({ id, status })]);
        expect(await rowOf(id)).toEqual({ due_at: dueAt, cancel_requested: true });
      }
    },
  );

  it('outlives the next step of its delivery', async () => {
    const id = await deliveryOf('retrying');
    await ask(id, 'cancel');
    await api.postgres.query('DELETE FROM waiting WHERE tenant = $1', [tenant]);
    await advance(id, 2, 'retrying');
    expect(await rowOf(id)).toEqual({ due_at: inAYear, cancel_requested: true });
  });

  it('of one that is cancelled is answered as it is; of one that has ended otherwise it is refused', async () => {
    const cancelled = await deliveryOf('cancelled');
    const answer = await ask(cancelled, 'cancel');
    expect([answer.status, answer.json()]).toEqual([200, await read(cancelled)]);
    for (const status of ['delivered', 'dead_lettered'] as const) {
      const id = await deliveryOf(status);
      expect((await ask(id, 'cancel')).json()).toMatchObject({
        status: 409,
        code: 'conflict',
        detail: `The delivery is ${status}`,
      });
      expect((await rowOf(id))?.cancel_requested).toBe(false);
    }
  });

  it('does not find another tenant’s, or what never was', async () => {
    const id = await deliveryOf('retrying');
    expect((await ask(id, 'cancel', 'rival')).status).toBe(404);
    expect((await ask('dlv_none', 'cancel')).status).toBe(404);
    expect((await rowOf(id))?.cancel_requested).toBe(false);
  });
});
