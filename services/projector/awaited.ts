/**
 * Facts that somebody waits for. Others gather for up to half a second before they are written; these end the gathering, and everything that was
 * fetched by then is written with them:
 *
 *   - a delivery that waits and is due soon, or for room in its lane: its dispatcher sends it from its row of `waiting`, once that and its event
 *     are in the tables
 *   - a dead letter: an operator, an alert or a replay looks for it
 *   - whatever belongs to a tenant for which a request waits: a long poll, a test of an endpoint (libs/event-store/awaited-tenants.ts)
 */
import { isWaiting, type StepRecord } from '#lib/contract';
import { awaitedForMs, everyTenant } from '#lib/event-store';
import type { Clock } from '#lib/runtime';
import { type Fact, tenantOf } from './facts.ts';

export interface Awaited {
  has(fact: Fact): boolean;
  /** Somebody waits for this tenant's changes. */
  heard(tenant: string): void;
}

/** Much longer than records gather: a clock that is ahead of the dispatcher's by seconds delays nothing. */
const soonMicros = 5_000_000;

/** Whether a row of `waiting` that follows from this is needed soon; one that waits for room may have it at any moment. */
export const isDueSoon = ({ status, next_attempt_at: dueAt }: StepRecord, nowMs: number): boolean =>
  isWaiting(status) && (dueAt === null || dueAt <= nowMs * 1_000 + soonMicros);

/** @param onNew a tenant is waited for that was not before: what was fetched for it is to be written */
export function createAwaited(clock: Clock, onNew: () => void): Awaited {
  /** By the monotonic clock, the first to be forgotten first. */
  const untilMs = new Map<string, number>();
  const isHeardOf = (tenant: string): boolean => (untilMs.get(tenant) ?? 0) > clock.monotonicMs();

  return {
    has(fact) {
      if (fact.kind === 'dead_letter') return true;
      if (fact.kind === 'outcome' && isDueSoon(fact.outcome, clock.nowMs())) return true;
      return untilMs.size > 0 && (isHeardOf(tenantOf(fact)) || isHeardOf(everyTenant));
    },
    heard(tenant) {
      const isNew = !isHeardOf(tenant);
      untilMs.delete(tenant);
      untilMs.set(tenant, clock.monotonicMs() + awaitedForMs);
      for (const known of untilMs.keys())
        if (isHeardOf(known)) break;
        else untilMs.delete(known);
      if (isNew) onNew();
    },
  };
}
