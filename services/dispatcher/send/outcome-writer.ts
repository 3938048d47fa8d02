/**
 * Makes outcomes durable. In this order: the dead letter, if there is one, or the row of `waiting`, if the delivery waits and
 * is ordered (the projector writes any other's row from the record); the record on `delivery.attempts`; only then the record of `deliveries` is
 * done, or the row of `waiting` removed. Dying in between repeats: the dead letter is recognised by its origin, row and record by their step,
 * the send by the event's id. Nothing here is ever given up for want of Kafka; whoever waits keeps its place.
 */
import {
  type Attempted,
  type AttemptRecord,
  type DeadLetterReason,
  isWaiting,
  type StepRecord,
  type Topics,
  traceHeaders,
} from '#lib/contract';
import type { BuryRecord } from '#lib/dead-letters';
import type { IncomingRecord, OutgoingRecord } from '#lib/kafka';
import { type Clock, type CrashPoints, nowMicros } from '#lib/runtime';
import { isAbandoned, type Job, type RowJob } from '../model/job.ts';
import type { RecentSteps } from '../model/recent-steps.ts';
import type { OrderedRow } from '../model/waiting-row.ts';
import { stepOf } from '../publishing/attempt-record.ts';
import type { BuryDelivery } from '../publishing/bury-delivery.ts';
import type { Publish } from '../publishing/publish.ts';
import type { SendFacts } from './send-facts.ts';

export type AfterSend =
  | { status: 'delivered' }
  | { status: 'retrying'; dueAt: number; notBefore: number | null }
  | { status: 'dead_lettered'; reason: DeadLetterReason };

export type EndUnsent =
  | { status: 'cancelled'; reason: 'endpoint_deleted' | 'cancelled_by_request' | 'event_erased' }
  | { status: 'dead_lettered'; reason: DeadLetterReason };

/** Each resolves when all is written; throws AppError stopped when the process may wait no longer. */
export interface OutcomeWriter {
  attempted(job: Job, send: SendFacts, after: AfterSend): Promise<void>;
  parked(job: Job): Promise<void>;
  ended(job: Job, end: EndUnsent): Promise<void>;
  /** Writes nothing: its tenant was deleted. */
  dropped(job: Job): void;
  /** A record that is no delivery at all. */
  malformed(record: IncomingRecord, problem: string): Promise<void>;
}

interface Deps {
  publish: Publish;
  buryDelivery: BuryDelivery;
  buryRecord: BuryRecord;
  topics: Topics;
  encodeAttempt(record: AttemptRecord): Buffer;
  recentSteps: RecentSteps;
  /** Resolves when the row is durable; throws AppError stopped where it is not wanted any more. */
  orderedRows: { write(row: OrderedRow, isWanted: () => boolean): Promise<void> };
  removeRow(job: RowJob): void;
  clock: Clock;
  crashPoints: CrashPoints;
  signal: AbortSignal;
}

/** Drops request and answer, which may be tens of kilobytes: a topic that takes less must not hold the outcome up. */
const withoutExchange = (record: StepRecord): StepRecord =>
  record.kind === 'attempted'
    ? { ...record, request: null, response_headers: null, response_excerpt: null, timing: null }
    : record;

/**
 * The receiver has its webhook. But the place in the lane is held until the outcome is acknowledged, and a lane has ten: more would be felt where one
 * endpoint gets hundreds a second.
 */
const outcomeLingerMs = 5;

export function createOutcomeWriter(deps: Deps): OutcomeWriter {
  const { publish, topics, crashPoints, signal } = deps;

  async function buryDelivery(job: Job, attempts: number, reason: DeadLetterReason): Promise<void> {
    await deps.buryDelivery(job.delivery, { reason, attempts }, signal);
    crashPoints.reach('dispatcher.after-dead-letter');
  }

  async function write(job: Job, record: StepRecord, notBefore: number | null = null): Promise<void> {
    const { delivery, step } = job;
    const row = newRowOf(job, record, notBefore);
    if (row !== undefined) await deps.orderedRows.write(row, () => !signal.aborted && !isAbandoned(job));
    const outgoing = (written: StepRecord): OutgoingRecord => ({
      topic: topics['delivery.attempts'],
      key: delivery.eventId,
      value: deps.encodeAttempt(written),
      headers: traceHeaders(delivery.traceparent),
      lingerMs: outcomeLingerMs,
    });
    await publish(outgoing(record), signal, () => outgoing(withoutExchange(record)));
    crashPoints.reach('dispatcher.after-outcome');
    deps.recentSteps.remember(delivery, step, record.status);
    if (row === undefined || job.from === 'record') settle(job);
  }

  /** In the place of the row, if there was one, that the job was read from; undefined where the job is in no order, or does not wait. */
  function newRowOf(job: Job, record: StepRecord, notBefore: number | null): OrderedRow | undefined {
    const { delivery, order, step } = job;
    const { status: state } = record;
    if (order === undefined || !isWaiting(state)) return undefined;
    return {
      tenant: delivery.tenant,
      deliveryId: delivery.id,
      partition: order.partition,
      endpointId: delivery.endpointId,
      eventId: delivery.eventId,
      generation: delivery.generation,
      state,
      dueAt: record.next_attempt_at ?? delivery.createdAt,
      step,
      attempts: record.attempt,
      createdAt: delivery.createdAt,
      order,
      notBefore,
    };
  }

  function settle(job: Job): void {
    if (job.from === 'row') return deps.removeRow(job);
    for (const record of job.claims) record.done();
    crashPoints.reach('dispatcher.before-commit');
  }

  return {
    async attempted(job, send, after) {
      const attempt = job.attempts + 1;
      if (after.status === 'dead_lettered') await buryDelivery(job, attempt, after.reason);
      const { delivery, order, step } = job;
      const record: Attempted = {
        kind: 'attempted',
        tenant: delivery.tenant,
        event_id: delivery.eventId,
        generation: delivery.generation,
        at: nowMicros(deps.clock),
        delivery_id: delivery.id,
        endpoint_id: delivery.endpointId,
        step,
        attempt,
        status: after.status,
        created_at: delivery.createdAt,
        detail: after.status === 'dead_lettered' ? `${after.reason}: ${send.detail}` : send.detail,
        next_attempt_at: after.status === 'retrying' ? after.dueAt : null,
        ordering_key: order === undefined ? null : delivery.orderingKey,
        outcome: send.outcome,
        http_status: send.http_status,
        duration_ms: send.duration_ms,
        response_excerpt: send.response_excerpt,
        request: send.request,
        response_headers: send.response_headers,
        timing: send.timing,
      };
      await write(job, record, after.status === 'retrying' ? after.notBefore : null);
    },
    parked: (job) => write(job, { ...stepOf(job), kind: 'parked', at: nowMicros(deps.clock), status: 'parked' }),
    async ended(job, { status, reason }) {
      if (status === 'dead_lettered') await buryDelivery(job, job.attempts, reason);
      await write(job, { ...stepOf(job), kind: 'ended', at: nowMicros(deps.clock), status, detail: reason });
    },
    dropped: settle,
    malformed: (record, problem) =>
      deps.buryRecord(record, { reason: 'malformed_record', attempts: 0, logged: { problem } }, signal),
  };
}
