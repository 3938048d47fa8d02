/** Senders, clients and receivers of a rehearsal, and its verdict. */
import { setTimeout as delay } from 'node:timers/promises';
import { formatMicros } from '#lib/runtime';
import { createApiClient } from '../../support/api-client.ts';
import { connectKafkaOffsets, type KafkaOffsets } from '../../support/kafka-offsets.ts';
import type { Pipeline } from '../../support/pipeline.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { createTopicFollower } from '../../support/topic-follower.ts';
import { checkWhenDrained } from '../checker/check-when-drained.ts';
import type { Verdict } from '../checker/check.ts';
import type { Fault } from '../checker/history.ts';
import { openTables } from '../delivering/tables.ts';
import { startLoad, type SteadyLoad } from '../incidents/load.ts';
import { untilDrained } from '../system/drained.ts';

export interface RehearsalWorld {
  load: SteadyLoad;
  receiver: Receiver;
  offsets: KafkaOffsets;
  /** Names a cause of repeats, from now on; it settles when the rehearsal ends. */
  explain(what: string): void;
  /** Waits until nothing is under way any more, or nothing moves. All senders must have ended. @returns the verdict then */
  judge(): Promise<Verdict>;
}

interface Options {
  pipeline: Pipeline;
  seed: number;
  perSecond: number;
}

/** Endpoints of the version before count later than today's: nothing is sent before they do in any. */
const settlingMs = 6_000;
const calmMs = 20_000;
const drainTimeoutMs = 60_000;
const eventsAskedFor = 500;
/** The endpoint that needs retries refuses the first attempts of one event in so many. */
const failsOneIn = 4;
const refusedAttempts = 6;

/** Two endpoints get everything: one takes it at once, the other has waiting deliveries at all times. */
export async function withRehearsal<T>(
  { pipeline, seed, perSecond }: Options,
  work: (world: RehearsalWorld) => Promise<T>,
): Promise<T> {
  const { stack } = pipeline;
  const startedAt = formatMicros(Date.now() * 1_000);
  const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
  const receiver = await startReceiver();
  const follower = createTopicFollower(stack);
  const [offsets, tables] = await Promise.all([connectKafkaOffsets(stack.kafkaBrokers), openTables(stack.databaseUrl)]);
  const faults: Fault[] = [];
  let following: Promise<void> | undefined;
  receiver.react(({ name, attempt, eventId }) => {
    const isRefused =
      name === 'flaky' && attempt <= refusedAttempts && (eventId.at(-1)?.charCodeAt(0) ?? 0) % failsOneIn === 0;
    return { status: isRefused ? 503 : 200 };
  });
  try {
    const load = await startLoad({ api, pipeline, random: seededRandom(seed), perSecond });
    load.setFactor(0);
    const sourceIds = Object.values(load.sourceIds);
    const endpointIds = await Promise.all(
      ['steady', 'flaky'].map(async (name) => {
        const settings = { retry: { base_seconds: 5, cap_seconds: 60 } };
        const endpoint = await api.createEndpoint({ url: receiver.url(name), source_ids: sourceIds, ...settings });
        receiver.register(name, endpoint);
        return endpoint.id;
      }),
    );
    await delay(settlingMs);
    load.setFactor(1);
    await delay(calmMs);
    const taken = (): number =>
      new Set(load.sends.filter(({ outcome }) => outcome === 'ok').map(({ identity }) => identity)).size;
    return await work({
      load,
      receiver,
      offsets,
      explain: (what) => void faults.push({ what, atMs: Date.now(), settledAtMs: Number.POSITIVE_INFINITY }),
      async judge() {
        // It reads with today's schemas, which a version before has not registered.
        await (following ??= follower.start());
        await untilDrained({ tables, offsets, endpointIds, sourceIds, topicPrefix: stack.topicPrefix, taken });
        return checkWhenDrained(
          {
            sourceIds: new Set(sourceIds),
            sends: load.sends,
            arrivals: receiver.arrivals,
            follower,
            api,
            observedEndpoints: new Set(endpointIds),
            faults: [...pipeline.faults, ...faults],
            databaseUrl: stack.databaseUrl,
            startedAt,
            eventsAskedFor,
          },
          drainTimeoutMs,
          () => Promise.resolve(true),
        );
      },
    });
  } finally {
    await Promise.allSettled([follower.stop(), receiver.stop(), offsets.close(), tables.close()]);
  }
}
