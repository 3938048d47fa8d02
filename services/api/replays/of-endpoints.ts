import { recoverEndpoint, testEndpoint } from '#lib/api-contract';
import { endpointDefaults, maxReplayDeadLetters } from '#lib/contract';
import { memberText } from '#lib/payload';
import { createDeadLetterReplay, createDeliveryReplay } from '#lib/replay-store';
import { createId } from '#lib/runtime';
import { attribute, newTraceparent } from '#lib/telemetry';
import { readDeadLetterFilter } from '../dead-letters/index.ts';
import { attemptOf } from '../deliveries/index.ts';
import { endpointTable, heldBy } from '../endpoints/index.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { optionalBody } from '../http/patch-body.ts';
import { sendInvalid, sendMissing, sendProblem } from '../http/send-problem.ts';
import { headerViewerOf } from '../keys/identify-caller.ts';
import { whileAsked } from '../keys/why-ended.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { insertSampleEvent } from '../resources/sample-event.ts';
import { type Route, serve } from '../route.ts';
import { awaitAttempt } from './await-attempt.ts';
import { newReplay, replayLimitReached, startReplay } from './start-replay.ts';

/** Routes that send something to an endpoint: what has died, or a sample. */

/** A replay of the endpoint's deliveries that have died since then, the oldest first. */
const recover = serve(recoverEndpoint, (deps) => async (request, reply) => {
  const { tenant, body, idempotent } = request;
  const { effects } = idempotent;
  const { since, limit = maxReplayDeadLetters, rate_per_second: ratePerSecond = null } = body;
  const endpoint = await endpointTable.find(effects, tenant, request.params.id);
  if (endpoint === undefined || endpoint.deleted_at !== null) return sendMissing(reply, endpoint);
  const given = { stage: 'dispatcher', endpoint_id: endpoint.id, since } as const;
  const read = readDeadLetterFilter(given, (name) => `/${name}`);
  if ('errors' in read) return sendInvalid(reply, read.errors);
  if (endpoint.disabled_at !== null) return sendProblem(reply, 'conflict', 'The endpoint is disabled: enable it first');

  const reached = await replayLimitReached(deps, effects, tenant, 'several');
  if (reached !== undefined) return refuseBeyondLimit(reply, reached, deps);
  return startReplay(deps, reply, {
    request: { ...given, ...body },
    ratePerSecond,
    of: endpoint.id,
    create: (tx, begun) => createDeadLetterReplay(tx, { ...begun, filter: read.filter, limit }),
  });
});

const usualType = 'hookline.test';
/** Time for a dispatcher to lease the replay, and for the outcome to be readable. */
const besidesSendingMs = 5_000;
const maxWaitMs = 25_000;

/**
 * Sends a sample, whatever the endpoint subscribes to, past its queue and its breaker, and answers with its first attempt, or with 202 if there
 * was none in time. A failed attempt is retried like that of any delivery.
 */
const test = serve(
  testEndpoint,
  (deps) => async (request, reply) => {
    const { clock, random, closing } = deps;
    const { tenant, idempotent, span } = request;
    const endpoint = await endpointTable.find(idempotent.effects, tenant, request.params.id);
    if (endpoint === undefined || endpoint.deleted_at !== null) return sendMissing(reply, endpoint);
    // A test passes the breaker and the queue; a pause is somebody's decision.
    const held = heldBy(endpoint);
    if (held !== undefined) return sendProblem(reply, 'conflict', held);

    const reached = await replayLimitReached(deps, idempotent.effects, tenant, 'one');
    if (reached !== undefined) return refuseBeyondLimit(reply, reached, deps);

    const { type = usualType } = request.body;
    // As it was written: parsed, a long number would become another one.
    const payload = memberText(request.bodyText, 'payload') ?? JSON.stringify({ type, endpoint_id: endpoint.id });
    const nowMs = clock.nowMs();
    const eventId = createId('evt', nowMs, random);
    request.eventId = eventId;
    span.set({ [attribute.eventId]: eventId });
    const begun = newReplay(deps, { tenant, request: { test: endpoint.id, event_id: eventId } });
    await idempotent.effects.transaction(async (tx) => {
      await insertSampleEvent(tx, {
        tenant,
        id: eventId,
        receiptId: createId('rcp', nowMs, random),
        type,
        payload: Buffer.from(payload),
        traceparent: newTraceparent(span.traceparent),
        nowMs,
      });
      await createDeliveryReplay(tx, { ...begun, eventId, endpointIds: [endpoint.id] });
      await request.audit(tx, { id: endpoint.id, after: { event_id: eventId, type } });
    });

    const deliveriesOfEvent = `/v1/events/${eventId}/deliveries`;
    // From here on the sample is sent even if this process dies: a retry with the key must not send another.
    await idempotent.commit({
      status: 202,
      headers: { 'content-type': 'application/json; charset=utf-8', location: deliveriesOfEvent },
      body: JSON.stringify({ event_id: eventId, delivery_id: null, attempt: null }),
    });

    const timeoutMs = endpoint.settings.timeout_ms ?? endpointDefaults.timeout_ms;
    const { delivery, attempt } = await awaitAttempt(deps, {
      tenant,
      eventId,
      withinMs: Math.min(timeoutMs + besidesSendingMs, maxWaitMs),
      signal: AbortSignal.any([whileAsked(reply, deps), closing]),
    });
    const ended = deps.whyEnded(request);
    if (ended !== undefined) return sendProblem(reply, ended);
    void reply
      .code(attempt === undefined ? 202 : 200)
      .header('location', delivery === undefined ? deliveriesOfEvent : `/v1/deliveries/${delivery.id}`);
    return {
      event_id: eventId,
      delivery_id: delivery?.id ?? null,
      attempt: attempt === undefined ? null : attemptOf(attempt, headerViewerOf(request.caller)),
    };
  },
  () => ({ bodyLimit: bodyLimits.payload, preValidation: optionalBody }),
);

export const endpointSendings: readonly Route[] = [recover, test];
