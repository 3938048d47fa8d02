/** Every receipt leads to its event, however dedup settled its webhook, and the event's counts are exact. */
import fc from 'fast-check';
import { eventIdEndOf, eventIdOf } from '#lib/dedup-store';
import type { Postgres } from '#lib/postgres';
import { readEvents } from '../../../services/api/events/index.ts';
import type { Fact } from '../../../services/projector/facts.ts';
import { recordOf, type TestRecord } from '../../unit/dedup/records.ts';
import { closePostgres, openDatabase, project } from '../projector/projection.ts';
import { Crash, createWorld, type World } from './world.ts';

let world: World;
let postgres: Postgres;
beforeAll(async () => {
  [world, postgres] = await Promise.all([createWorld(), openDatabase()]);
});
afterAll(async () => {
  await world.stopServices();
  await Promise.all([world.stop(), closePostgres(postgres)]);
});

const never = new AbortController().signal;
const second = 1_000_000;

/** A tenant whose ids of a key end differently: Redis tells its records by that alone, and asks the table where it can't. */
function tellingTenant(): string {
  const endOf = (tenant: string, partition: number, offset: number): string =>
    eventIdEndOf(
      eventIdOf({
        tenant,
        sourceId: 'src_1',
        receiptId: `rcp_${partition}_${offset}`,
        receivedAt: 0,
        origin: `${world.topics['webhooks.received']}-${partition}-${offset}`,
      }),
    );
  const isTold = (tenant: string): boolean =>
    [1, 3].every((partition) => new Set([0, 1, 3, 4].map((offset) => endOf(tenant, partition, offset))).size === 4);
  let number = 1;
  while (!isTold(`tenant-${number}`)) number += 1;
  return `tenant-${number}`;
}

it('leads to the event, whether Redis, the table or its own batch made it a duplicate, and after kills and takeovers', async () => {
  const [keysTenant, now] = [tellingTenant(), Date.now() * 1000];
  const given = (partition: number, offset: number, more: { after?: number; changed?: boolean } = {}): TestRecord =>
    recordOf({
      topic: world.topics['webhooks.received'],
      tenant: keysTenant,
      partition,
      offset,
      id: `key ${partition}`,
      receivedAt: now + (more.after ?? offset) * second,
      // A record that takes the key over an hour later keeps it for longer than that.
      ttlSeconds: more.after === undefined ? 60 : 7_200,
      body: JSON.stringify({ id: `key ${partition}`, ...(more.changed ? { changed: offset } : {}) }),
    });
  const worker = await world.startWorker();
  const handle = (...records: TestRecord[]): Promise<void> => worker.handle(records, never);

  // In one batch, then by Redis, then by the table alone.
  await handle(given(1, 0), given(1, 1), given(1, 2, { changed: true }));
  await handle(given(1, 3), given(1, 4, { changed: true }));
  await world.redis.flushAll();
  await handle(given(1, 5), given(1, 6, { changed: true }));

  // Published, and again by the next worker.
  const dying = await world.startWorker({ crashAt: 'dedup.after-publish' });
  await expect(dying.handle([given(2, 0), given(2, 1)], never)).rejects.toThrow(Crash);
  await handle(given(2, 0), given(2, 1), given(2, 2));

  // Taken over after its expiry. Redis has the first life yet when late records come, and then nothing: the table has the second alone.
  await handle(given(3, 0), given(3, 1));
  await handle(given(3, 2, { after: 3_600 }));
  await handle(given(3, 3), given(3, 4, { changed: true }));
  await world.redis.flushAll();
  await handle(given(3, 5), given(3, 6, { after: 3_601 }));

  const outcomes = await world.outcomes();
  const ways = new Map(outcomes.duplicates().map(({ receipt_id, event_id }) => [receipt_id, event_id === null]));
  const byRedis = ['rcp_1_3', 'rcp_1_4', 'rcp_3_3', 'rcp_3_4'];
  expect([...ways].filter(([, unnamed]) => unnamed).map(([receipt]) => receipt)).toEqual(
    expect.arrayContaining(byRedis),
  );
  expect(outcomes.events()).toHaveLength(5);

  const receiptsOf = {
    rcp_1_0: ['rcp_1_0', 'rcp_1_1', 'rcp_1_2', 'rcp_1_3', 'rcp_1_4', 'rcp_1_5', 'rcp_1_6'],
    rcp_2_0: ['rcp_2_0', 'rcp_2_1', 'rcp_2_2'],
    rcp_3_0: ['rcp_3_0', 'rcp_3_1', 'rcp_3_3', 'rcp_3_4'],
    rcp_3_2: ['rcp_3_2', 'rcp_3_5', 'rcp_3_6'],
  };
  const changedOf = { rcp_1_0: 3, rcp_2_0: 0, rcp_3_0: 1, rcp_3_2: 0 };
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat()), async (dice) => {
      const tenant = `run-${(runs += 1)}`;
      const facts: Fact[] = [
        ...outcomes
          .events()
          .map((event): Fact => ({ kind: 'event', event: { ...event, tenant }, traceparent: '', fanOut: null })),
        ...outcomes.duplicates().map((duplicate): Fact => ({ kind: 'duplicate', duplicate: { ...duplicate, tenant } })),
      ];
      const roll = (sides: number): number => (dice.next().value as number) % sides;
      while (facts.length > 0) {
        const batch = Array.from({ length: 1 + roll(4) }, () => facts.splice(roll(facts.length), 1)).flat();
        await project(postgres, batch);
      }
      for (const [own, receipts] of Object.entries(receiptsOf)) {
        for (const receiptId of receipts)
          expect((await readEvents(postgres, tenant, { receipt_id: receiptId }, 2)).events).toMatchObject([
            {
              receipt_id: own,
              duplicates: receipts.length - 1,
              duplicates_changed: changedOf[own as keyof typeof changedOf],
            },
          ]);
      }
    }),
    { numRuns: 10 },
  );
});
