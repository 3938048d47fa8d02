import { percentile } from '../../support/percentiles.ts';
import type { Books } from './accounts.ts';

/** Latencies of everything accepted in one minute, in milliseconds. */
export interface MinuteOfLatencies {
  minute: number;
  events: number;
  /** From the sender's request to its answer. */
  answered: { p50: number; p99: number };
  /** From the sender having its answer to the event's first arrival at the measured endpoint; an arrival that overtakes the answer counts as 0. */
  arrived: { p50: number; p99: number };
}

const minuteMs = 60_000;

/** @param startedAtMs earlier answers are left out, and so is an incomplete last minute */
export function latenciesByMinute(
  { webhooks, receipts, arrivals }: Pick<Books, 'webhooks' | 'receipts' | 'arrivals'>,
  { endpoint, startedAtMs, seconds }: { endpoint: string; startedAtMs: number; seconds: number },
): MinuteOfLatencies[] {
  const eventOf = new Map(receipts.map(({ receiptId, eventId }) => [receiptId, eventId]));
  const arrivedAt = arrivals.get(endpoint);
  const known = new Set<string>();
  const minutes = Math.floor(seconds / 60);
  const found = Array.from({ length: minutes }, () => ({ answered: [] as number[], arrived: [] as number[] }));
  for (const { receiptId, answeredAtMs, tookMs, outcome } of webhooks) {
    const minute = found[Math.floor((answeredAtMs - startedAtMs) / minuteMs)];
    const eventId = eventOf.get(receiptId ?? '') ?? '';
    // A repeat arrives nowhere: its event has gone before.
    const isFirst = !known.has(eventId);
    known.add(eventId);
    if (outcome !== 'ok' || minute === undefined) continue;
    minute.answered.push(tookMs);
    const atMs = arrivedAt?.get(eventId);
    if (isFirst && atMs !== undefined) minute.arrived.push(Math.max(0, atMs - answeredAtMs));
  }
  const both = (values: readonly number[]) => ({ p50: percentile(values, 0.5), p99: percentile(values, 0.99) });
  return found.map(({ answered, arrived }, minute) => ({
    minute: minute + 1,
    events: arrived.length,
    answered: both(answered),
    arrived: both(arrived),
  }));
}
