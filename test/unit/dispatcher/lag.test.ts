/** Which deliveries tell the ingress that this system is late, and not their endpoints. */
import { createManualClock } from '#lib/runtime';
import { buildLag } from '../../../services/dispatcher/model/lag.ts';
import type { Job } from '../../../services/dispatcher/model/job.ts';
import { aDelivery, aDeliveryRecord, aRecordJob, aRowJob, inOrder } from './fixtures.ts';

/** The keys that are written once the interval of these notes is over. */
async function reported(note: (lag: ReturnType<typeof buildLag>, receivedAt: number) => void): Promise<string[]> {
  const clock = createManualClock();
  const keys: string[] = [];
  const lag = buildLag({
    config: { topicPrefix: 'test.' },
    context: { clock },
    redis: { runScript: async (_script: string, given: readonly string[]) => void keys.push(...given) } as never,
  });
  for (let round = 0; round < 3; round += 1) {
    note(lag, (clock.nowMs() - 5_000) * 1_000);
    await clock.advance(250);
  }
  return [...new Set(keys)];
}

const paced = { pace: { perSecond: 1, burst: 1 } };
const unpaced = { pace: undefined };

it('a delivery that is late on its way here, or was taken late by a quick endpoint', async () => {
  const tenant = aDelivery().tenant;
  expect(
    await reported((lag, receivedAt) => {
      const delivery = aDelivery({ receivedAt });
      lag.taken(aDeliveryRecord(delivery), delivery);
      lag.delivered(aRecordJob({ receivedAt }), unpaced, 5);
    }),
  ).toEqual([`test.lag:dispatched:${tenant}`, `test.lag:delivered:${tenant}`]);
});

it.each<[string, (receivedAt: number) => Job, { pace: { perSecond: number; burst: number } | undefined }, number]>([
  ['has waited in a row: for a retry, a place, a paused endpoint', (receivedAt) => aRowJob({ receivedAt }), unpaced, 5],
  ['is of an endpoint with a rate limit', (receivedAt) => aRecordJob({ receivedAt }), paced, 5],
  ['is of an endpoint that takes its time', (receivedAt) => aRecordJob({ receivedAt }), unpaced, 800],
  ['waits for those before it in an order', (receivedAt) => inOrder(aRecordJob({ receivedAt }), 1), unpaced, 5],
  ['is of a replay', (receivedAt) => aRecordJob({ receivedAt, generation: 1 }), unpaced, 5],
])('not one that %s', async (_what, jobOf, endpoint, durationMs) => {
  expect(await reported((lag, receivedAt) => lag.delivered(jobOf(receivedAt), endpoint, durationMs))).toEqual([]);
});

it('not one of a replay when it is taken', async () => {
  expect(
    await reported((lag, receivedAt) => {
      const delivery = aDelivery({ receivedAt, generation: 1 });
      lag.taken(aDeliveryRecord(delivery), delivery);
    }),
  ).toEqual([]);
});
