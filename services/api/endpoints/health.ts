import { type EndpointHealth, getEndpointHealth } from '#lib/api-contract';
import { detailFor, pausedBetween, type StoredPause } from '#lib/contract';
import { formatMicros, microsOf, nowMicros } from '#lib/runtime';
import { sendMissing } from '../http/send-problem.ts';
import { headerViewerOf } from '../keys/identify-caller.ts';
import { serve } from '../route.ts';
import { countedSince } from '../stats/index.ts';
import {
  answerGroups,
  findBreaker,
  findLastMinutes,
  findRecentAttempts,
  findSuccess,
  findWaiting,
  type LastSend,
  maxCounted,
  type Success,
  type Waiting,
} from './health-queries.ts';
import { findPauses } from './pauses.ts';
import { type EndpointRow, endpointTable } from './queries.ts';

const hourMicros = 3_600_000_000;

export const health = serve(getEndpointHealth, ({ postgres, clock, failingSeconds }) => async (request, reply) => {
  const { tenant } = request;
  const row = await endpointTable.find(postgres, tenant, request.params.id);
  if (row === undefined || row.deleted_at !== null) return sendMissing(reply, row);
  const named = { tenant, id: row.id };
  const now = nowMicros(clock);
  const [hourAgo, dayAgo] = [formatMicros(now - hourMicros), formatMicros(now - 24 * hourMicros)];
  const breaker = await findBreaker(postgres, named);
  const success = await findSuccess(postgres, named, { hourAgo, dayAgo });
  const viewer = headerViewerOf(request.caller);
  const attempts = await findRecentAttempts(postgres, named);
  const recent = attempts.map((one) => ({ ...one, detail: detailFor(viewer, one.detail) }));
  const minutes = await findLastMinutes(postgres, named);
  const waiting = await findWaiting(postgres, named);
  const pauses = row.failing_since === null ? [] : await findPauses(postgres, named);
  const since = await countedSince(postgres);
  // An endpoint that is newer than the counting has nothing that was not counted.
  const isCounted = (from: string): boolean => since !== null && (since <= from || since <= row.created_at);
  const recentOfDay = recent.filter(({ at }) => at >= dayAgo);
  const ofDay = recentOfDay.flatMap(({ duration_ms: ms }) => ms ?? []);
  return {
    breaker: breaker ?? null,
    disabled_at: row.disabled_at,
    paused_until: row.paused_until,
    failing_since: row.failing_since,
    disables_at: disablesAt(row, pauses, failingSeconds),
    success: {
      hour: isCounted(hourAgo) ? successOf(success.hour) : null,
      day: isCounted(dayAgo) ? successOf(success.day) : null,
    },
    latency: {
      attempts: ofDay.length,
      p50_ms: percentile(ofDay, 0.5),
      p95_ms: percentile(ofDay, 0.95),
    },
    waiting: {
      ...waiting.states,
      is_capped: waiting.total >= maxCounted,
      oldest: waiting.oldest,
      drains_at: drainsAt(row, waiting, { perMinute: success.lastMinute, isOpen: breaker?.state === 'open', now }),
    },
    last_success: lastOf(recent, ({ outcome }) => outcome === 'delivered', minutes.delivered),
    last_failure: lastOf(recent, ({ outcome }) => outcome !== 'delivered', minutes.failed),
    failures: answerGroups(recentOfDay),
  };
});

const successOf = ({ attempts, delivered }: Success): EndpointHealth['success']['hour'] => ({
  attempts,
  delivered,
  ratio: attempts === 0 ? null : Math.round((delivered / attempts) * 1e4) / 1e4,
});

/** By the nearest rank, to a tenth. */
function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.ceil(share * sorted.length) - 1];
  return value === undefined ? null : Math.round(value * 10) / 10;
}

/** If every attempt goes on to fail. A pause does not count, and of one that is under way all is taken to pass. */
function disablesAt(row: EndpointRow, pauses: readonly StoredPause[], failingSeconds: number): string | null {
  if (row.failing_since === null || row.disabled_at !== null) return null;
  const since = microsOf(row.failing_since);
  const paused = pauses.map(({ from, until }) => ({ from: microsOf(from), until: microsOf(until) }));
  return formatMicros(since + failingSeconds * 1_000_000 + pausedBetween(paused, since, Number.MAX_SAFE_INTEGER));
}

/** At the rate of the last minutes; null where nothing is sent, or was lately. */
function drainsAt(
  { paused_until: pausedUntil, disabled_at: disabledAt }: EndpointRow,
  { total }: Waiting,
  { perMinute, isOpen, now }: { perMinute: number; isOpen: boolean; now: number },
): string | null {
  if (pausedUntil !== null || disabledAt !== null || isOpen || total === 0 || total >= maxCounted || perMinute === 0)
    return null;
  return formatMicros(Math.round(now + (total / perMinute) * 60_000_000));
}

/** @param minute the last one in which there was one: an older delivery may have been sent since the recent attempts */
function lastOf(recent: readonly LastSend[], is: (send: LastSend) => boolean, minute: string | null): LastSend | null {
  const found = recent.find(is);
  if (found !== undefined && (minute === null || found.at >= minute)) {
    const { at, outcome, http_status, detail } = found;
    return { at, outcome, http_status, detail };
  }
  return minute === null ? null : { at: minute, outcome: null, http_status: null, detail: null };
}
