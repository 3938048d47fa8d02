import { hash } from 'node:crypto';
import { type Attempted, eventRequestText, isFinal, type StepRecord } from '#lib/contract';
import { bodyHashOf } from '#lib/dedup-store';
import type { EventRef } from '#lib/event-store';
import { derivedId, formatMicros } from '#lib/runtime';
import { attemptRow } from './attempt-row.ts';
import { isDueSoon } from './awaited.ts';
import { type DeadLetter, type Fact, type FanOut, keyOf } from './facts.ts';
import type { AttemptRow } from './statements/attempts.ts';
import type { DeadLetterRow } from './statements/dead-letters.ts';
import type { DuplicateRow } from './statements/duplicates.ts';
import type { EventRow } from './statements/events.ts';
import type { FanOutRow } from './statements/fan-outs.ts';
import type { OutcomeRow } from './statements/outcomes.ts';
import type { PayloadRow } from './statements/payloads.ts';
import { countsByStep, type OutcomesOfDeliveries } from './stats/count-outcomes.ts';

/** A batch of facts as rows for the statements; all in the order of their keys, so that two projectors lock rows in the same order. */
export interface BatchRows {
  /** Tenants whose events may change, also by duplicates that do not name their event. */
  tenants: string[];
  /** Each event that a fact names, once: those whose row may change. */
  touched: EventRef[];
  events: EventRow[];
  duplicates: DuplicateRow[];
  fanOuts: FanOutRow[];
  outcomes: OutcomeRow[];
  /** The outcomes of each delivery, in their order: the statistics are counted from them. */
  steps: Map<string, StepRecord[]>;
  /** Events with deliveries that are sent again soon. */
  dueSoon: EventRef[];
  deadLetters: DeadLetterRow[];
  payloads: PayloadRow[];
  attempts: AttemptRow[];
}

/**
 * Needed by nobody who holds a clock: what belongs to these stands in other tables, is never changed, and means nothing before they are
 * there.
 */
export interface ClockFreeRows {
  payloads: PayloadRow[];
  attempts: AttemptRow[];
}

export function toClockFreeRows(facts: readonly Fact[]): ClockFreeRows {
  const payloads = new Map<string, PayloadRow>();
  const attempts: AttemptRow[] = [];
  for (const fact of facts) {
    if (fact.kind === 'event') payloads.set(keyOf(fact.event.tenant, fact.event.id), payloadRow(fact));
    if (fact.kind === 'outcome' && fact.outcome.kind === 'attempted') attempts.push(attemptRow(fact.outcome));
  }
  return {
    payloads: sorted([...payloads.values()], (row) => keyOf(row.tenant, row.event_id)),
    attempts: sorted(attempts, (row) => keyOf(row.tenant, row.delivery_id, String(row.step).padStart(10, '0'))),
  };
}

/**
 * @param partitionOf the partition of `deliveries` that an endpoint's key falls into
 * @param isWritten whether the clock-free rows of a fact are there already
 * @param nowMs milliseconds since the epoch
 */
export function toBatchRows(
  facts: readonly Fact[],
  partitionOf: (endpointId: string) => number,
  isWritten: (fact: Fact) => boolean = () => false,
  nowMs = 0,
): BatchRows {
  const tenants = new Set<string>();
  const touched = new Map<string, EventRef>();
  const events = new Map<string, EventRow>();
  const duplicates: DuplicateRow[] = [];
  const fanOuts: FanOutRow[] = [];
  const outcomes: StepRecord[] = [];
  const deadLetters: DeadLetterRow[] = [];
  const touch = (tenant: string, event_id: string | null): void => {
    tenants.add(tenant);
    if (event_id !== null) touched.set(keyOf(tenant, event_id), { tenant, event_id });
  };

  for (const fact of facts) {
    switch (fact.kind) {
      case 'event':
        touch(fact.event.tenant, fact.event.id);
        events.set(keyOf(fact.event.tenant, fact.event.id), eventRow(fact));
        if (fact.fanOut !== null) fanOuts.push(...fanOutRows(fact.fanOut));
        break;
      case 'duplicate':
        touch(fact.duplicate.tenant, fact.duplicate.event_id);
        duplicates.push(duplicateRow(fact));
        break;
      case 'fan-out':
        touch(fact.fanOut.tenant, fact.fanOut.event_id);
        fanOuts.push(...fanOutRows(fact.fanOut));
        break;
      case 'outcome':
        touch(fact.outcome.tenant, fact.outcome.event_id);
        outcomes.push(fact.outcome);
        break;
      case 'dead_letter':
        deadLetters.push(deadLetterRow(fact.deadLetter));
        break;
    }
  }
  const steps = Map.groupBy(outcomes, deliveryKey);
  const refs = sorted([...touched.values()], (ref) => keyOf(ref.tenant, ref.event_id));
  const beforeLast = placesOf(refs);
  const dueSoon = new Set(
    outcomes.filter((outcome) => isDueSoon(outcome, nowMs)).map(({ tenant, event_id }) => keyOf(tenant, event_id)),
  );
  return {
    tenants: [...tenants].sort(),
    touched: refs,
    events: sorted([...events.values()], (row) => keyOf(row.tenant, row.id)).map((row) => ({
      ...row,
      before_last: beforeLast.get(keyOf(row.tenant, row.id)) ?? 0,
    })),
    duplicates: sorted(duplicates, (row) => keyOf(row.tenant, row.origin)),
    fanOuts: sorted(fanOuts, (row) => keyOf(row.tenant, row.event_id, row.delivery_id ?? '')),
    outcomes: sorted(outcomeRows(outcomes, steps, partitionOf), deliveryKey),
    steps,
    dueSoon: refs.filter(({ tenant, event_id }) => dueSoon.has(keyOf(tenant, event_id))),
    deadLetters: sorted(deadLetters, (row) => keyOf(row.tenant, row.stage, row.origin, String(row.generation))),
    ...toClockFreeRows(facts.filter((fact) => !isWritten(fact))),
  };
}

/** The rows of these tenants alone. */
export function ofTenants(rows: BatchRows, tenants: ReadonlySet<string>): BatchRows {
  const theirs = <Row extends { tenant: string }>(all: Row[]): Row[] => all.filter(({ tenant }) => tenants.has(tenant));
  return {
    tenants: rows.tenants.filter((tenant) => tenants.has(tenant)),
    touched: theirs(rows.touched),
    events: theirs(rows.events),
    duplicates: theirs(rows.duplicates),
    fanOuts: theirs(rows.fanOuts),
    outcomes: theirs(rows.outcomes),
    steps: rows.steps,
    dueSoon: theirs(rows.dueSoon),
    // No clock is needed for them.
    deadLetters: rows.deadLetters,
    payloads: theirs(rows.payloads),
    attempts: theirs(rows.attempts),
  };
}

/** For each event, how many of its tenant's events come after it. */
function placesOf(refs: readonly EventRef[]): Map<string, number> {
  const behind = new Map<string, number>();
  const places = new Map<string, number>();
  for (const { tenant, event_id } of refs.toReversed()) {
    const before = behind.get(tenant) ?? 0;
    places.set(keyOf(tenant, event_id), before);
    behind.set(tenant, before + 1);
  }
  return places;
}

function eventRow({ event, traceparent }: Extract<Fact, { kind: 'event' }>): EventRow {
  const { tenant, id, source_id, event_id, type, receipt_id, origin, dedup_key, ordering_key } = event;
  return {
    tenant,
    id,
    source_id,
    event_id,
    type,
    receipt_id,
    origin,
    dedup_key,
    ordering_key,
    body_hash: bodyHashOf(hash('sha256', event.payload, 'buffer')),
    traceparent,
    tags: Object.keys(event.tags).length === 0 ? null : JSON.stringify(event.tags),
    received_at: formatMicros(event.received_at),
    before_last: 0,
  };
}

function payloadRow({ event }: Extract<Fact, { kind: 'event' }>): PayloadRow {
  const { tenant, id, received_at, content_type, content_encoding, payload, request } = event;
  return {
    tenant,
    event_id: id,
    received_at: formatMicros(received_at),
    content_type,
    content_encoding,
    body: payload,
    request: request === null ? null : eventRequestText(request),
  };
}

function duplicateRow({ duplicate }: Extract<Fact, { kind: 'duplicate' }>): DuplicateRow {
  const { tenant, origin, receipt_id, event_id, event_id_end, dedup_key, body_hash, received_at, client_address } =
    duplicate;
  return {
    tenant,
    origin,
    receipt_id,
    event_hint: event_id ?? event_id_end,
    client_address: client_address ?? null,
    dedup_key: Buffer.from(dedup_key, 'hex'),
    body_hash: Buffer.from(body_hash, 'hex'),
    received_at: formatMicros(received_at),
  };
}

function fanOutRows({ tenant, event_id, generation, at, deliveries, chunk }: FanOut): FanOutRow[] {
  const part = { try: chunk?.try ?? null, chunk: chunk?.index ?? null, chunks: chunk?.count ?? null };
  const set = { tenant, event_id, generation, created_at: formatMicros(at), ...part };
  if (deliveries.length === 0) return [{ ...set, delivery_id: null, endpoint_id: null }];
  return deliveries.map(({ delivery_id, endpoint_id }) => ({ ...set, delivery_id, endpoint_id }));
}

function deadLetterRow(deadLetter: DeadLetter): DeadLetterRow {
  const { tenant, stage, origin, generation, at } = deadLetter;
  return {
    tenant,
    id: derivedId('dl', Math.floor(at / 1000), [tenant, stage, origin, String(generation)]),
    origin,
    generation,
    stage,
    reason: deadLetter.reason,
    attempts: deadLetter.attempts,
    event_id: deadLetter.event_id,
    delivery_id: deadLetter.delivery_id,
    endpoint_id: deadLetter.endpoint_id,
    source_id: deadLetter.source_id,
    event_type: deadLetter.event_type,
    key: deadLetter.key,
    headers: deadLetter.headers,
    value: deadLetter.value,
    letter_partition: deadLetter.partition,
    letter_offset: String(deadLetter.offset),
    original_bytes: deadLetter.shortenedFrom === null ? null : String(deadLetter.shortenedFrom.bytes),
    original_sha256: deadLetter.shortenedFrom === null ? null : Buffer.from(deadLetter.shortenedFrom.sha256, 'hex'),
    at: formatMicros(at),
  };
}

/** Each outcome, and of each delivery one marked as the last: the one that remains when they are applied in order, with how far they came. */
function outcomeRows(
  outcomes: readonly StepRecord[],
  steps: OutcomesOfDeliveries,
  partitionOf: (endpointId: string) => number,
): OutcomeRow[] {
  const standing = new Map<string, Standing>();
  outcomes.forEach((outcome, index) => {
    const key = deliveryKey(outcome);
    const before = standing.get(key);
    const { step, attempt, status } = outcome;
    const sent = outcome.kind === 'attempted' ? outcome : before?.sent;
    if (before === undefined) standing.set(key, { index, status, step, attempt, sent });
    else if (!isFinal(before.status) && (before.step < step || isFinal(status)))
      // An end may come in a lower step: of a delivery that was under way twice.
      standing.set(key, {
        index,
        status,
        sent,
        step: Math.max(before.step, step),
        attempt: Math.max(before.attempt, attempt),
      });
  });
  const last = new Map(standing.values().map((each) => [each.index, each]));
  return outcomes.map((outcome, index) => {
    const { tenant, delivery_id, event_id, endpoint_id, generation, step, attempt, status, detail } = outcome;
    const sent = last.get(index)?.sent;
    return {
      tenant,
      delivery_id,
      event_id,
      endpoint_id,
      generation,
      step,
      attempt,
      status,
      detail,
      ordered: outcome.ordering_key !== null,
      at: formatMicros(outcome.at),
      created_at: formatMicros(outcome.created_at),
      next_attempt_at: outcome.next_attempt_at === null ? null : formatMicros(outcome.next_attempt_at),
      last: last.has(index),
      reached_step: last.get(index)?.step ?? outcome.step,
      reached_attempt: last.get(index)?.attempt ?? outcome.attempt,
      counts_by_step: last.has(index) && countsByStep(steps.get(deliveryKey(outcome)) ?? []),
      last_outcome: sent?.outcome ?? null,
      last_http_status: sent?.http_status ?? null,
      last_detail: sent?.detail ?? null,
      partition: partitionOf(outcome.endpoint_id),
      // A parked delivery is due since its creation: the oldest has the first claim to a place, whenever it was parked.
      due_at: formatMicros(outcome.next_attempt_at ?? outcome.created_at),
    };
  });
}

/** The state of a delivery after some outcomes, and how far it had come by then. */
interface Standing {
  index: number;
  status: StepRecord['status'];
  step: number;
  attempt: number;
  /** The last send on the way here. */
  sent: Attempted | undefined;
}

const deliveryKey = ({ tenant, delivery_id: id }: { tenant: string; delivery_id: string }): string => keyOf(tenant, id);

function sorted<T>(rows: T[], key: (row: T) => string): T[] {
  const keyed = rows.map((row) => ({ row, key: key(row) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  return keyed.map(({ row }) => row);
}
