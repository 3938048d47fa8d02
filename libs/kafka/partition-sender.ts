/**
 * Sends the records of one partition, in order, one request at a time:
 *
 *   idle ──add──► collecting ──linger over, or a full batch──► waiting for the lane ──its turn──► in flight ──written──► collecting, idle
 *                                                                     ▲                              │
 *                                                                     └───────── backing off ◄───────┴── not known to be written
 *
 * It guarantees that the next batch goes out only after the one before has ended, its retries included. It does not guarantee that a
 * record stands on the topic once: a request whose answer was lost is sent again.
 */
import type { Clock } from '#lib/clock';
import { AppError } from '#lib/errors';
import type { Logger } from '#lib/log';
import type { Tracer } from '#lib/telemetry';
import { type BatchLimits, createAccumulator } from './accumulator.ts';
import type { PendingRecord } from './pending-record.ts';
import type { ProduceOutcome } from './produce-answer.ts';
import type { ProduceLane } from './produce-lane.ts';
import { startSendSpan } from './trace-send.ts';

export interface PartitionSender {
  add(record: PendingRecord): void;
  /** Records that wait or are in flight. */
  load(): number;
  holdsFullBatch(): boolean;
  /** Its last request failed, a short while ago. */
  failing(): boolean;
  expire(nowMs: number, error: (record: PendingRecord) => AppError): void;
  /** Ends the linger that is under way. */
  hurry(): void;
}

export interface PartitionSenderOptions {
  topic: string;
  partition: number;
  limits: BatchLimits;
  /** How long the oldest record waits for others. */
  lingerMs(): number;
  clock: Clock;
  log: Logger;
  tracer: Tracer;
  random: () => number;
  /** The connection to whoever leads the partition now. */
  lane(): ProduceLane;
  onBatchCut(): void;
  onFailure(): void;
  onRequest(outcome: ProduceOutcome['kind'], seconds: number): void;
  /** Aborts when nothing more is to be sent. */
  closed: AbortSignal;
}

const firstBackoffMs = 50;
const maxBackoffMs = 1_000;
// Records that may choose avoid a failed partition for so long; then one batch finds out how it is.
const avoidAfterFailureMs = 5_000;

export function createPartitionSender(options: PartitionSenderOptions): PartitionSender {
  const { topic, partition, clock, log, tracer, closed } = options;
  const accumulator = createAccumulator(options.limits);
  let inFlight: PendingRecord[] = [];
  let running = false;
  let lingering: AbortController | undefined;
  let failures = 0;
  let failedAtMs = 0;

  async function run(): Promise<void> {
    while (accumulator.size() > 0 && !closed.aborted) {
      await linger();
      await options.lane().takeTurn(async (produce) => {
        const batch = accumulator.cut();
        options.onBatchCut();
        if (batch.length === 0 || closed.aborted) return;
        inFlight = batch;
        const startedAtMs = clock.monotonicMs();
        const span = startSendSpan(tracer, topic, partition, batch);
        const outcome = await produce(topic, partition, batch);
        if (outcome.kind !== 'written') span.fail(outcome.kind);
        span.end();
        options.onRequest(outcome.kind, (clock.monotonicMs() - startedAtMs) / 1000);
        inFlight = [];
        settle(batch, outcome);
      });
      if (failures > 0) await clock.sleep(backoffMs(), closed);
    }
    running = false;
  }

  async function linger(): Promise<void> {
    const oldestMs = accumulator.oldestSentAtMs();
    if (oldestMs === undefined || accumulator.holdsFullBatch()) return;
    const restMs = oldestMs + options.lingerMs() - clock.monotonicMs();
    if (restMs <= 0) return;
    lingering = new AbortController();
    await clock.sleep(restMs, lingering.signal);
    lingering = undefined;
  }

  /** Once, and with a reason: else an error is made for each record that comes to a full batch, stack and all. */
  function endLinger(): void {
    lingering?.abort('ended');
    lingering = undefined;
  }

  function settle(batch: PendingRecord[], outcome: ProduceOutcome): void {
    if (outcome.kind === 'written') {
      failures = 0;
      batch.forEach((record, i) => record.acknowledge({ topic, partition, offset: outcome.baseOffset + BigInt(i) }));
      return;
    }
    if (outcome.kind === 'refused') {
      failures = 0;
      const [culprit] = batch;
      if (batch.length > 1) accumulator.putBackSplit(batch);
      else culprit?.fail(new AppError('data_invalid', 'the broker refuses the record', { cause: outcome.error }));
      return;
    }
    failures += 1;
    failedAtMs = clock.monotonicMs();
    if (failures === 1) {
      log.warn({
        event: 'kafka.produce_failed',
        topic,
        partition,
        records: batch.length,
        reason: outcome.error.message,
      });
    }
    accumulator.putBack(batch);
    options.onFailure();
  }

  function backoffMs(): number {
    const limitMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** (failures - 1));
    return limitMs * (0.5 + options.random() / 2);
  }

  return {
    add(record) {
      accumulator.add(record);
      if (accumulator.holdsFullBatch()) endLinger();
      if (running) return;
      running = true;
      void run();
    },
    load: () => accumulator.size() + inFlight.length,
    holdsFullBatch: () => accumulator.holdsFullBatch(),
    failing: () => failures > 0 && clock.monotonicMs() - failedAtMs < avoidAfterFailureMs,
    expire(nowMs, error) {
      for (const record of accumulator.takeExpired(nowMs)) record.fail(error(record));
      for (const record of inFlight) if (record.expiresAtMs <= nowMs) record.fail(error(record));
    },
    hurry: endLinger,
  };
}
