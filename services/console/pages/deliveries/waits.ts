/** Why a delivery waits: what the API knows of it, in sentences. The rules are those of the dispatcher (services/dispatcher/send/decide.ts). */
import { html, type Html } from '#lib/html';
import { duration } from '../../parts/duration.ts';
import { milliseconds } from '../../parts/milliseconds.ts';
import { time } from '../../parts/time.ts';
import type { Attempt, Delivery } from '../../routes/deliveries/delivery.ts';
import type { Endpoint, EndpointHealth, Retry } from '../../routes/endpoints/endpoint.ts';

/** Answers with which a receiver may ask for time. */
const asksToWait = [429, 503];

/** The attempt's Retry-After, if the dispatcher goes by it. */
function retryAfterOf({ http_status: status, response_headers: headers }: Attempt): string | undefined {
  const value = headers?.['retry-after'];
  if (value === undefined || status === null || !asksToWait.includes(status)) return undefined;
  return /^\d{1,9}(?:\.\d+)?$/.test(value) ? duration(Math.ceil(Number(value))) : value;
}

/** The wait that the endpoint's settings have after an attempt. */
function plannedWait(attempt: number, retry: Retry): string {
  if (retry.schedule !== undefined) {
    const wait = retry.schedule[attempt - 1];
    return wait === undefined ? 'schedule' : `schedule: ${wait === 0 ? 'at once' : duration(wait)}`;
  }
  const { base_seconds: base = 5, cap_seconds: cap = 43_200 } = retry;
  return `backoff: random, up to ${duration(Math.min(cap, base * 2 ** (attempt - 1)))}`;
}

/** Below it nothing is worth a reason. */
const noticedMs = 2_000;

/** Up to it a wait is told to the hundredth of a second. */
const exactMs = 10_000;

/** The reason for the wait between an attempt and the one before it, or the creation of the delivery. */
export function waitedBecause(
  attempt: Attempt,
  before: Attempt | undefined,
  { delivery, retry }: { delivery: Delivery; retry: Retry | undefined },
): string {
  const startedMs = Date.parse(attempt.at) - (attempt.duration_ms ?? 0);
  const waitedMs = startedMs - Date.parse(before?.at ?? delivery.created_at);
  const waited = waitedMs < 1_000 ? '' : waitedMs < exactMs ? milliseconds(waitedMs) : duration(waitedMs / 1_000);
  if (before === undefined)
    return attempt.attempt > 1 || waitedMs < noticedMs ? '' : `${waited} · waited for room at the endpoint`;
  const retryAfter = retryAfterOf(before);
  const reasons = [
    ...(retryAfter === undefined ? [] : [`Retry-After ${retryAfter}`]),
    ...(retry === undefined ? [] : [plannedWait(before.attempt, retry)]),
  ];
  return [...(waited === '' ? [] : [waited]), ...reasons].join(' · ');
}

export interface Waiting {
  delivery: Delivery;
  /** Undefined: deleted, or not known. */
  endpoint: Endpoint | undefined;
  health: EndpointHealth | undefined;
  lastAttempt: Attempt | undefined;
  nowMs: number;
}

/** Why an open delivery is not sent at this moment, what holds it longest first. Empty for one that has ended. */
export function whyWaits({ delivery, endpoint, health, lastAttempt, nowMs }: Waiting): readonly Html[] {
  const { status, next_attempt_at: next } = delivery;
  if (status !== 'pending' && status !== 'retrying' && status !== 'parked') return [];
  const held = heldBy(endpoint, health);
  if (status === 'parked')
    return held.length > 0
      ? held
      : [html`It is parked: it waits for room at the endpoint, without using up an attempt.`];
  if (status === 'pending') return [...held, html`It is being sent, or is about to be.`];
  const isDue = next !== null && Date.parse(next) <= nowMs;
  return [...held, isDue ? html`It is due, and waits for its turn.` : becauseOf(lastAttempt, endpoint)];
}

function heldBy(endpoint: Endpoint | undefined, health: EndpointHealth | undefined): Html[] {
  const until = endpoint?.paused_until ?? null;
  if (until !== null) return [html`The endpoint is paused until ${time(until)}.`];
  if (endpoint !== undefined && endpoint.disabled_at !== null)
    return [html`The endpoint is disabled: this delivery becomes a dead letter within seconds.`];
  const state = health?.breaker?.state;
  if (state === 'open')
    return [
      html`The endpoint’s circuit breaker is open: after failures nothing but a probe is sent, until one succeeds.`,
    ];
  if (state === 'half_open')
    return [html`The endpoint’s circuit breaker is half open: a probe is being sent to see whether it answers again.`];
  return [];
}

function becauseOf(last: Attempt | undefined, endpoint: Endpoint | undefined): Html {
  if (last === undefined) return html`It waits for its next attempt.`;
  const retryAfter = retryAfterOf(last);
  const planned = endpoint === undefined ? undefined : plannedWait(last.attempt, endpoint.retry);
  if (retryAfter !== undefined)
    return html`The receiver asked for time: <code>Retry-After</code> ${retryAfter}.${planned !== undefined && html` The endpoint’s own ${planned}.`}`;
  return planned === undefined
    ? html`It waits for its next attempt.`
    : html`After attempt ${last.attempt}, ${planned}.`;
}
