import { packHeaders } from '#lib/contract';
import type { Postgres } from '#lib/postgres';
import {
  cancelReplay,
  createDeliveryReplay,
  createReplayWork,
  type LeasedReplay,
  type ReplayWork,
} from '#lib/replay-store';
import { createId, formatMicros } from '#lib/runtime';
// The statement that a test puts a defective variant of in its place.
import { claimDeadLetters } from '../../../libs/replay-store/create-dead-letter-replay.ts';
import { startAt } from '../../unit/projector/facts.ts';
import { closePostgres, openDatabase, project } from '../projector/projection.ts';
import { deliveryDeadLetter, killDeliveries, replayDeadLetters } from './dead-deliveries.ts';

let postgres: Postgres;
let work: ReplayWork;
let tenant = '';
let tenants = 0;

beforeAll(async () => {
  postgres = await openDatabase(8);
  work = createReplayWork(postgres);
});
beforeEach(() => {
  tenant = `t${(tenants += 1)}`;
});
afterEach(() => postgres.query(`UPDATE replays SET status = 'cancelled' WHERE status = 'running'`));
afterAll(() => closePostgres(postgres));

const deadLetters = async (): Promise<Record<string, number>> => {
  const rows = await postgres.query<{ status: string; n: number }>(
    'SELECT status, count(*)::int AS n FROM dead_letters WHERE tenant = $1 GROUP BY status',
    [tenant],
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
};
const replayRow = async (id: string) => {
  const [row] = await postgres.query<{ status: string; matched: number; replayed: number; failed: number }>(
    'SELECT status, matched, replayed, failed FROM replays WHERE tenant = $1 AND id = $2',
    [tenant, id],
  );
  return row;
};
const itemsOf = (id: string) =>
  postgres.query<{ item: number; letter_id: string | null; endpoint_id: string; generation: number; status: string }>(
    'SELECT item, letter_id, event_id, endpoint_id, generation, status FROM replay_items WHERE tenant = $1 AND replay_id = $2 ORDER BY item',
    [tenant, id],
  );
const ids = (n: number): string[] => Array.from({ length: n }, (_, index) => `evt_${tenant}_${index}`);

async function leaseOne(owner = 'me'): Promise<LeasedReplay> {
  const [replay] = [...(await work.lease(owner, 'bulk', 1)), ...(await work.lease(owner, 'single', 1))];
  if (replay === undefined) throw new Error('nothing to lease');
  return replay;
}
const expireLease = (id: string) =>
  postgres.query(`UPDATE replays SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1`, [id]);
async function takeItems(replay: LeasedReplay, max: number) {
  const taken = await work.take(replay, max);
  if (taken === 'lost' || 'ended' in taken) throw new Error('no items');
  return taken.items;
}
const sent = (items: readonly { item: number }[], reason: string | null = null) =>
  items.map(({ item }) => ({ item, reason }));

describe('the claim', () => {
  it('gives each dead letter to one of the replays that are asked for at once', async () => {
    await killDeliveries(postgres, tenant, ids(50), ['ep_a', 'ep_b']);
    const replays = await Promise.all(Array.from({ length: 6 }, () => replayDeadLetters(postgres, tenant)));
    expect(replays.reduce((sum, { matched }) => sum + matched, 0)).toBe(100);
    const claimed = (await Promise.all(replays.map(({ id }) => itemsOf(id)))).flat();
    expect(new Set(claimed.map(({ letter_id }) => letter_id)).size).toBe(100);
    expect(await deadLetters()).toEqual({ replaying: 100 });
  });

  it('mutant: a claim that does not ask whether the dead letter is dead gives it to several', async () => {
    await killDeliveries(postgres, tenant, ids(5), ['ep_a']);
    const careless: typeof claimDeadLetters = (conditions, places) =>
      claimDeadLetters(conditions.replace(/ AND l\.status = (\$\d+)/, " AND l.status <> '-' || $1::text"), places);
    const first = await replayDeadLetters(postgres, tenant, {}, { claim: careless });
    const second = await replayDeadLetters(postgres, tenant, {}, { claim: careless });
    expect(first.matched + second.matched).toBe(10);
  });

  it('is of those that all of the filter applies to, the oldest first, up to the limit', async () => {
    await killDeliveries(postgres, tenant, ids(6), ['ep_a', 'ep_b']);
    await project(postgres, [
      deliveryDeadLetter(tenant, 'evt_other', 'ep_a', {
        reason: 'endpoint_gone',
        event_type: 'other',
        at: startAt - 1,
      }),
    ]);
    const matched = async (filter: object, limit = 1_000): Promise<number> => {
      const replay = await replayDeadLetters(postgres, tenant, filter, { limit });
      await postgres.transaction((tx) => cancelReplay(tx, tenant, replay.id));
      return replay.matched;
    };
    expect(await matched({ endpointId: 'ep_a' })).toBe(7);
    expect(await matched({ endpointId: 'ep_a', eventType: 'order.created' })).toBe(6);
    expect(await matched({ reason: 'endpoint_gone' })).toBe(1);
    expect(await matched({ stage: 'dedup' })).toBe(0);
    expect(await matched({ since: formatMicros(startAt + 2_000), until: formatMicros(startAt + 4_000) })).toBe(4);
    const [source] = await postgres.query<{ source_id: string }>('SELECT source_id FROM events WHERE tenant = $1', [
      tenant,
    ]);
    expect(await matched({ sourceId: source?.source_id })).toBe(12);
    expect(await matched({ ids: ['dl_none'] })).toBe(0);
    expect(await deadLetters()).toEqual({ dead: 13 });

    const limited = await replayDeadLetters(postgres, tenant, {}, { limit: 3 });
    expect(limited).toMatchObject({ matched: 3, status: 'running' });
    const times = await postgres.query<{ at: string }>(
      `SELECT at FROM dead_letters WHERE tenant = $1 AND status = 'replaying' ORDER BY at`,
      [tenant],
    );
    expect(times[0]?.at).toBe(formatMicros(startAt - 1));
    const replay = await leaseOne();
    await work.settle(replay, sent(await takeItems(replay, 10)));
    expect(await work.take(replay, 10)).toEqual({ ended: 'sent' });
  });

  it('is empty where nothing matches, and such a replay has ended as it begins', async () => {
    expect(await replayDeadLetters(postgres, tenant)).toMatchObject({ matched: 0, status: 'completed' });
    expect(await work.lease('me', 'bulk', 10)).toEqual([]);
  });

  it('takes more dead letters than one statement does', async () => {
    await postgres.query(
      `INSERT INTO dead_letters (tenant, id, origin, stage, reason, attempts, letter_partition, letter_offset, at, headers, value)
       SELECT $1, 'dl_' || n, 'r-0-' || n, 'dedup', 'data_invalid', 3, 0, n, clock_timestamp(), '{}', 'x'
         FROM generate_series(1, 12345) n`,
      [tenant],
    );
    const replay = await replayDeadLetters(postgres, tenant);
    expect(replay).toMatchObject({ matched: 12_345 });
    const items = await itemsOf(replay.id);
    expect(items.map(({ item }) => item)).toEqual(items.map((_, index) => index + 1));
    await postgres.transaction((tx) => cancelReplay(tx, tenant, replay.id));
    expect(await deadLetters()).toEqual({ dead: 12_345 });
  });
});

describe('generations', () => {
  it('are above every one that a delivery of the event has had, and raised by each replay', async () => {
    const [eventId = ''] = ids(1);
    await killDeliveries(postgres, tenant, [eventId], ['ep_a', 'ep_b']);
    const first = await replayDeadLetters(postgres, tenant, { endpointId: 'ep_a' });
    const second = await replayDeadLetters(postgres, tenant, { endpointId: 'ep_b' });
    const third = await postgres.transaction((tx) =>
      createDeliveryReplay(tx, {
        tenant,
        id: createId('rpl', Date.now()),
        request: {},
        ratePerSecond: null,
        createdAt: formatMicros(Date.now() * 1_000),
        eventId,
        endpointIds: ['ep_a', 'ep_c'],
      }),
    );
    const generations = await Promise.all(
      [first, second, third].map(async ({ id }) => (await itemsOf(id)).map(({ generation }) => generation)),
    );
    expect(generations).toEqual([[1], [2], [3, 3]]);
  });

  it('of a record that is no delivery is its own, raised', async () => {
    await project(postgres, [
      deliveryDeadLetter(tenant, 'evt_x', 'ep_a', {
        stage: 'dedup',
        origin: 'r-0-1',
        generation: 4,
        value: Buffer.from([0, 255]),
        headers: packHeaders({ 'hookline-tenant': Buffer.from(tenant), odd: [Buffer.from([255]), Buffer.from('b')] }),
      }),
    ]);
    await replayDeadLetters(postgres, tenant);
    expect(await takeItems(await leaseOne(), 10)).toEqual([
      {
        item: 1,
        kind: 'record',
        generation: 5,
        stage: 'dedup',
        origin: 'r-0-1',
        key: Buffer.from('ep_a'),
        headers: packHeaders({ 'hookline-tenant': Buffer.from(tenant), odd: [Buffer.from([255]), Buffer.from('b')] }),
        value: Buffer.from([0, 255]),
      },
    ]);
  });

  it('make a dead letter of what dies again after its replay; the same death told twice is one dead letter', async () => {
    const deadLetter = (generation: number) =>
      deliveryDeadLetter(tenant, 'evt_x', 'ep_a', {
        stage: 'dedup',
        origin: 'r-0-1',
        generation,
        value: Buffer.from('x'),
      });
    await project(postgres, [deadLetter(0), deadLetter(0)]);
    await project(postgres, [deadLetter(0), deadLetter(1)]);
    expect(await deadLetters()).toEqual({ dead: 2 });
  });
});

describe('working a replay off', () => {
  it('counts each item once, and the dead letters follow', async () => {
    await killDeliveries(postgres, tenant, ids(5), ['ep_a']);
    const { id } = await replayDeadLetters(postgres, tenant);
    const replay = await leaseOne();
    expect(await work.settle(replay, sent(await takeItems(replay, 3)))).toBe(true);
    expect(await replayRow(id)).toEqual({ status: 'running', matched: 5, replayed: 3, failed: 0 });
    const rest = await takeItems(replay, 3);
    expect(await work.settle(replay, sent(rest, 'payload_expired'))).toBe(true);
    // A repeated report changes nothing.
    expect(await work.settle(replay, sent(rest))).toBe(true);
    expect(await work.take(replay, 3)).toEqual({ ended: 'sent' });
    expect(await replayRow(id)).toEqual({ status: 'sent', matched: 5, replayed: 3, failed: 2 });
    expect(await deadLetters()).toEqual({ replayed: 3, dead: 2 });
  });

  it('a replay is leased by one process at a time, and by another when that has died', async () => {
    await killDeliveries(postgres, tenant, ids(4), ['ep_a']);
    const { id } = await replayDeadLetters(postgres, tenant);
    const leases = await Promise.all(['a', 'b', 'c'].map((owner) => work.lease(owner, 'bulk', 5)));
    expect(leases.flat()).toHaveLength(1);
    const [dead] = leases.flat() as [LeasedReplay];
    const taken = await takeItems(dead, 2);

    await expireLease(id);
    const successor = await leaseOne('successor');
    // Items that the dead process had taken come again, under the same generations.
    expect((await takeItems(successor, 3)).slice(0, 2)).toEqual(taken);
    // Paused, not dead: it changes nothing any more.
    expect(await work.settle(dead, sent(taken))).toBe(false);
    expect(await work.take(dead, 2)).toBe('lost');
    expect(await work.renew(dead)).toBe(false);
    expect(await replayRow(id)).toMatchObject({ replayed: 0 });
    await work.release(successor);
    expect(await work.lease('third', 'bulk', 5)).toHaveLength(1);
  });

  it('a cancelled replay gives back what was not taken; what was taken is counted when it is sent', async () => {
    await killDeliveries(postgres, tenant, ids(6), ['ep_a']);
    const { id } = await replayDeadLetters(postgres, tenant);
    const replay = await leaseOne();
    const taken = await takeItems(replay, 2);
    expect(await postgres.transaction((tx) => cancelReplay(tx, tenant, id))).toBe('running');
    expect(await deadLetters()).toEqual({ dead: 4, replaying: 2 });
    expect(await replayRow(id)).toMatchObject({ status: 'running' });
    await work.settle(replay, sent(taken));
    expect(await work.take(replay, 2)).toEqual({ ended: 'cancelled' });
    expect(await replayRow(id)).toEqual({ status: 'cancelled', matched: 6, replayed: 2, failed: 0 });
    expect(await deadLetters()).toEqual({ dead: 4, replayed: 2 });
    // Other replays can claim them.
    expect(await replayDeadLetters(postgres, tenant)).toMatchObject({ matched: 4 });
  });

  it('a cancel and a process that takes items, at once, never both have one', async () => {
    await killDeliveries(postgres, tenant, ids(40), ['ep_a']);
    const { id } = await replayDeadLetters(postgres, tenant);
    const replay = await leaseOne();
    const takeAll = async (): Promise<number> => {
      for (let count = 0; ;) {
        const taken = await work.take(replay, 1);
        if (taken === 'lost' || 'ended' in taken) return count;
        await work.settle(replay, sent(taken.items));
        count += taken.items.length;
      }
    };
    const [published] = await Promise.all([
      takeAll(),
      (async () => {
        while (((await replayRow(id))?.replayed ?? 0) < 3) await new Promise(setImmediate);
        await postgres.transaction((tx) => cancelReplay(tx, tenant, id));
      })(),
    ]);
    expect(await deadLetters()).toEqual({ dead: 40 - published, replayed: published });
    expect(await replayRow(id)).toMatchObject({ status: 'cancelled', replayed: published });
  });

  it('an event’s replay takes the dead letters of its deliveries with it', async () => {
    const [eventId = ''] = ids(1);
    await killDeliveries(postgres, tenant, [eventId], ['ep_a', 'ep_b']);
    const { id } = await postgres.transaction((tx) =>
      createDeliveryReplay(tx, {
        tenant,
        id: createId('rpl', Date.now()),
        request: {},
        ratePerSecond: null,
        createdAt: formatMicros(Date.now() * 1_000),
        eventId,
        endpointIds: ['ep_a'],
      }),
    );
    expect(await deadLetters()).toEqual({ dead: 1, replaying: 1 });
    const replay = await leaseOne();
    const items = await takeItems(replay, 5);
    expect(items).toEqual([{ item: 1, kind: 'delivery', eventId, endpointId: 'ep_a', generation: 1 }]);
    await work.settle(replay, sent(items));
    expect(await work.take(replay, 5)).toEqual({ ended: 'sent' });
    expect(await deadLetters()).toEqual({ dead: 1, replayed: 1 });
    expect(await replayRow(id)).toMatchObject({ matched: 1, replayed: 1 });
  });
});
