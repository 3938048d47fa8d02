/**
 * Sends the records of one partition, in order, one request at a time:
 *
 *   idle ──add──► waits in a lane ──one is due, a full batch, or another partition's turn──► in flight ──written──► waits, idle
 *                      ▲                                                                          │
 *                      └──────────────────────── backing off ◄────────────────────────────────────┴── not known to be written
 *
 * It guarantees that the next batch goes out only after the one before has ended, its retries included. It does not guarantee that a
 * record stands on the topic once: a request whose answer was lost is sent again.
 *
 * A partition whose followers lag is sent alone until they keep up, because a request is answered only when its slowest partition is.
 */
import { AppError, type Clock } from '#lib/runtime';
import type { Span } from '#lib/telemetry';
import { type BatchLimits, createAccumulator, isExpired } from './accumulator.ts';
import type { PendingRecord, RecordOwner } from './pending-record.ts';
import type { ProduceOutcome } from './produce-answer.ts';
import { followersTimeoutMs, type ProduceLane, type Sendable } from './produce-lane.ts';
import { startSendSpan } from './trace-send.ts';

export interface PartitionSender {
  add(record: PendingRecord): void;
  /** Records that wait or are in flight. */
  load(): number;
  holdsFullBatch(): boolean;
  /** Its last request failed, a short while ago. */
  failing(): boolean;
  /** It is sent alone. */
  isAlone(): boolean;
  /** Another broker leads it now. */
  leaderChanged(): void;
  /** @returns before when nothing more expires */
  expire(nowMs: number, error: (record: PendingRecord) => AppError, owner?: RecordOwner): number;
  /** Ends the linger that is under way. */
  hurry(): void;
}

export interface PartitionSenderOptions {
  topic: string;
  partition: number;
  limits: BatchLimits;
  /** A producer stops: nothing waits for others. */
  isFlushing(): boolean;
  clock: Clock;
  random: () => number;
  /** The connection to the current leader: the shared one, or its own. */
  lane(isAlone: boolean): Pick<ProduceLane, 'add' | 'hurry'>;
  onBatchCut(): void;
  onFailure(): void;
  /** Aborts when nothing more may be sent. */
  closed: AbortSignal;
}

const firstBackoffMs = 50;
const maxBackoffMs = 1_000;
// Records that may choose avoid a failed partition for so long; then one batch tests it.
const avoidAfterFailureMs = 5_000;

export function createPartitionSender(options: PartitionSenderOptions): PartitionSender {
  const { topic, partition, clock, closed } = options;
  const accumulator = createAccumulator(options.limits);
  let inFlight: PendingRecord[] = [];
  /** The owners of records in flight, each with its span. */
  let spans: ReadonlyMap<RecordOwner, Span> = new Map();
  let state: 'idle' | 'waiting' | 'in flight' | 'backing off' = 'idle';
  /** The lane in which it waits. */
  let lane: Pick<ProduceLane, 'add' | 'hurry'> | undefined;
  let isAlone = false;
  let failures = 0;
  let failedAtMs = 0;

  const sendable: Sendable = {
    topic,
    partition,
    dueAtMs: () =>
      accumulator.size() === 0 || options.isFlushing() ? Number.NEGATIVE_INFINITY : accumulator.dueAtMs(),
    batchBytes: accumulator.batchBytes,
    cut() {
      inFlight = closed.aborted ? [] : accumulator.cut();
      options.onBatchCut();
      if (inFlight.length === 0) resume();
      else {
        state = 'in flight';
        spans = spansOf(inFlight);
      }
      return inFlight;
    },
    requestTimeoutMs: () => Math.min(...spans.keys().map((owner) => owner.requestTimeoutMs)),
    settle(outcome, tookMs) {
      for (const [owner, span] of spans) {
        if (outcome.kind !== 'written') span.fail(outcome.kind);
        span.end();
        owner.requested(outcome.kind, tookMs / 1_000);
      }
      const batch = inFlight;
      inFlight = [];
      notePace(outcome, tookMs);
      take(batch, outcome);
      void backOff();
    },
    lookElsewhere: resume,
  };

  function resume(): void {
    state = 'idle';
    if (accumulator.size() === 0 || closed.aborted) return;
    state = 'waiting';
    lane = options.lane(isAlone);
    lane.add(sendable);
  }

  function spansOf(batch: readonly PendingRecord[]): Map<RecordOwner, Span> {
    const owners = new Set<RecordOwner>();
    for (const { owner } of batch) owners.add(owner);
    const recordsOf = (owner: RecordOwner): readonly PendingRecord[] =>
      owners.size === 1 ? batch : batch.filter((record) => record.owner === owner);
    return new Map([...owners].map((each) => [each, startSendSpan(each.tracer, topic, partition, recordsOf(each))]));
  }

  async function backOff(): Promise<void> {
    if (failures > 0) {
      state = 'backing off';
      await clock.sleep(backoffMs(), closed);
    }
    resume();
  }

  /** A leader that is slow with everything is no reason: more requests would make it slower. */
  function notePace(outcome: ProduceOutcome, tookMs: number): void {
    if (outcome.kind === 'unknown') isAlone ||= outcome.lags;
    else if (tookMs < followersTimeoutMs) isAlone = false;
  }

  function take(batch: PendingRecord[], outcome: ProduceOutcome): void {
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
      const facts = { topic, partition, records: batch.length, reason: outcome.error.message };
      for (const { log } of spans.keys()) log.warn({ event: 'kafka.produce_failed', ...facts });
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
      const dueAtMs = accumulator.dueAtMs();
      accumulator.add(record);
      if (state === 'idle') resume();
      else if (state === 'waiting' && accumulator.dueAtMs() < dueAtMs) lane?.hurry();
    },
    load: () => accumulator.size() + inFlight.length,
    holdsFullBatch: () => accumulator.holdsFullBatch(),
    failing: () => failures > 0 && clock.monotonicMs() - failedAtMs < avoidAfterFailureMs,
    isAlone: () => isAlone,
    leaderChanged() {
      isAlone = false;
    },
    expire(nowMs, error, owner) {
      for (const record of accumulator.takeExpired(nowMs, owner)) record.fail(error(record));
      let nextMs = accumulator.noneExpiresBeforeMs();
      for (const record of inFlight) {
        if (isExpired(record, nowMs, owner)) record.fail(error(record));
        else nextMs = Math.min(nextMs, record.expiresAtMs);
      }
      return nextMs;
    },
    hurry() {
      if (state === 'waiting') lane?.hurry();
    },
  };
}
