import type { EventRecord, Topics } from '#lib/contract';
import { createBury, createBuryBatch, createBuryRecord, type KeepDeadLetter } from '#lib/dead-letters';
import type { DedupStore } from '#lib/dedup-store';
import type { ErasedEvents } from '#lib/erasure';
import { createFanOutMetrics, createPublishEvent, type MatchNarrow } from '#lib/fan-out';
import type { RecordHandler, RecordProducer, UndecodableBatchHandler } from '#lib/kafka';
import type { LagReport } from '#lib/lag';
import { type Clock, type CrashPoints, createWaitOut, type Logger } from '#lib/runtime';
import type { Enforcement } from '#lib/schema-checks';
import type { Metrics } from '#lib/telemetry';
import { createAcceptOnce } from './accept-once.ts';
import { createCompletions } from './completions.ts';
import { createDecide } from './decide.ts';
import { createDedupMetrics, dedupMetrics } from './metrics.ts';
import { createPublisher } from './publisher.ts';
import { createSchemaTags } from './schema-tags.ts';
import { createSetAside } from './set-aside.ts';
import { createSettleApart } from './settle-apart.ts';
import { createSettle } from './settle.ts';

export interface DedupDeps {
  store: DedupStore;
  keepDeadLetter: KeepDeadLetter;
  erased: Pick<ErasedEvents, 'among' | 'hasTenant'>;
  onDropped(tenant: string): void;
  /** Hears of each webhook when it is taken. */
  lag: LagReport;
  producer: Pick<RecordProducer, 'send'>;
  topics: Topics;
  /** @throws AppError data_invalid */
  encodeEvent(event: EventRecord): Buffer;
  matchNarrow: MatchNarrow;
  /** Validates events by the schemas of their types. */
  enforcement: Enforcement;
  crashPoints: CrashPoints;
  /** How long a published event waits for others whose rows are completed in the same statement, in milliseconds. */
  completeWithinMs: number;
  metrics: Metrics;
  clock: Clock;
  /** Uniform in [0, 1). */
  random(): number;
  log: Logger;
  /** Reports an unexpected error that has no caller. */
  fail(error: Error): void;
}

export interface Dedup {
  /** For the records of `webhooks.received`. */
  handle: RecordHandler;
  /** For batches of it. */
  onUndecodable: UndecodableBatchHandler;
  /** Resolves when every row is completed whose event is published, but of tenants that are waited for. */
  completed(): Promise<void>;
  /** Resolves when no background work is left, once the partitions have been given up. */
  idle(): Promise<void>;
}

/** The service without its connections. */
export function createDedup(deps: DedupDeps): Dedup {
  const { store, producer, topics, encodeEvent, matchNarrow, crashPoints, clock, random, log, fail } = deps;
  const metrics = createDedupMetrics(deps.metrics);
  const waitOut = createWaitOut({ clock, log });
  const bury = createBury({
    producer,
    topic: topics['dead-letters'],
    keep: deps.keepDeadLetter,
    counter: dedupMetrics.deadLetters,
    waitOut,
    clock,
    log,
    metrics: deps.metrics,
  });
  const buryRecord = createBuryRecord({ bury, stage: 'dedup', log });
  const publishEvent = createPublishEvent({
    matchNarrow,
    encodeEvent,
    topics,
    clock,
    crashPoints,
    metrics: createFanOutMetrics(deps.metrics),
  });
  const publisher = createPublisher({ producer, topics, publishEvent, waitOut });
  const schemaTags = createSchemaTags(deps.enforcement);
  const background = { clock, random, log, fail };
  const gatherMs = deps.completeWithinMs;
  const completions = createCompletions({ store, gatherMs, crashPoints, waitOut, ...background });
  const decide = createDecide({ store, waitOut });
  const settle = createSettle({ store, decide, completions, publisher, schemaTags, crashPoints, metrics, log });
  const setAside = createSetAside({ settle, store, buryRecord, metrics, waitOut, ...background });
  const apart = createSettleApart({ settle, takeCulprits: setAside.take, ...background });
  const { erased, onDropped, lag } = deps;
  return {
    handle: createAcceptOnce({
      settle: apart.settle,
      setAside,
      buryRecord,
      erased,
      onDropped,
      lag,
      waitOut,
      metrics,
      clock,
      log,
    }),
    onUndecodable: createBuryBatch({ bury, stage: 'dedup', log }),
    completed: completions.idle,
    async idle() {
      await apart.idle();
      await setAside.idle();
      await completions.idle();
    },
  };
}
