import { endpointDefaults } from '#lib/contract';
import { createId } from '#lib/ids';
import { memberText } from '#lib/json-locator';
import { createDeliveryReplay } from '#lib/replay-store';
import { attribute, newTraceparent } from '#lib/telemetry';
import { bodyLimits } from '../http/body-limits.ts';
import { optionalBody } from '../http/optional-body.ts';
import { sendLimitReached, sendMissing, sendProblem } from '../http/send-problem.ts';
import { headerViewerOf } from '../keys/identify-caller.ts';
import { whileAsked } from '../keys/why-ended.ts';
import type { Operation } from '../openapi/operation.ts';
import { awaitAttempt } from '../replays/await-attempt.ts';
import { newReplay } from '../replays/new-replay.ts';
import { replayLimitReached } from '../replays/replay-limit.ts';
import { attemptJson } from '../resources/delivery.ts';
import { endpoints } from '../resources/endpoint.ts';
import { insertSampleEvent } from '../resources/sample-event.ts';
import { type Route, route } from '../route.ts';
import { eventType } from '../settings/fields.ts';

interface Body {
  type?: string;
  payload?: unknown;
}

const body = {
  type: 'object',
  additionalProperties: false,
  // Any JSON.
  properties: { type: eventType, payload: {} },
} as const;

const usualType = 'hookline.test';
/** Time for a dispatcher to lease the replay, and for the outcome to be readable. */
const besidesSendingMs = 5_000;
const maxWaitMs = 25_000;

const operation: Operation = {
  tag: 'Endpoints',
  id: 'testEndpoint',
  summary: 'Send a sample event to an endpoint and wait for the first attempt',
  answers: {
    200: { is: 'Outcome of the first attempt', body: 'TestResult', headers: ['Location'] },
    202: { is: 'The first attempt has not ended yet; it continues', body: 'TestResult', headers: ['Location'] },
  },
  errors: ['conflict', 'gone', 'limit_reached'],
};

/**
 * `POST /v1/endpoints/{id}/test`: sends a sample, whatever the endpoint subscribes to, past its queue and its breaker, and answers with its
 * first attempt, or with 202 if there was none in time. A failed attempt is retried like that of any delivery.
 */
export const testEndpoint: Route = (deps) =>
  route<{ Params: { id: string }; Body: Body }>({
    method: 'POST',
    url: '/v1/endpoints/:id/test',
    config: { operation, capability: 'endpoints', audit: 'endpoint.test' },
    bodyLimit: bodyLimits.payload,
    schema: { body },
    preValidation: optionalBody,
    async handler(request, reply) {
      const { clock, random, closing } = deps;
      const { tenant, idempotent, span } = request;
      const endpoint = await endpoints.find(idempotent.effects, tenant, request.params.id);
      if (endpoint === undefined || endpoint.deleted_at !== null) return sendMissing(reply, endpoint);
      if (endpoint.disabled_at !== null)
        return sendProblem(reply, 'conflict', 'The endpoint is disabled: enable it first');
      // A test passes the breaker and the queue; a pause is somebody's decision.
      if (endpoint.paused_until !== null)
        return sendProblem(reply, 'conflict', `The endpoint is paused until ${endpoint.paused_until}: resume it first`);

      const reached = await replayLimitReached(deps, idempotent.effects, tenant, 'one');
      if (reached !== undefined) return sendLimitReached(reply, tenant, reached, deps.limits);

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
        attempt: attempt === undefined ? null : attemptJson(attempt, headerViewerOf(request.caller)),
      };
    },
  });
