import { tags } from '#lib/api-contract';
import { maxPayloadBytes, maxPayloadText, type Tags } from '#lib/contract';
import { sendResponse } from '#lib/idempotency';
import { createId } from '#lib/ids';
import { memberText } from '#lib/json-locator';
import { createEnforcement, schemaTagOf } from '#lib/schema-checks';
import { attribute, newTraceparent } from '#lib/telemetry';
import { bodyLimits } from '../http/body-limits.ts';
import { sendInvalid, sendTooLarge } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { createPublishing, publishedAnswer } from '../publishing/publishing.ts';
import { refuseUnjudged } from '../publishing/refuse-unjudged.ts';
import { insertPublishedEvents } from '../resources/published-event.ts';
import { type Route, route } from '../route.ts';
import { publishedType, publishersKey } from '../settings/fields.ts';
import { tagErrors } from '../settings/tags.ts';

interface Body {
  type: string;
  payload: unknown;
  event_id?: string;
  ordering_key?: string;
  tags?: Tags;
}

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'payload'],
  // Any JSON.
  properties: { type: publishedType, payload: {}, event_id: publishersKey, ordering_key: publishersKey, tags },
} as const;

const operation: Operation = {
  tag: 'Events',
  id: 'publishEvent',
  summary: 'Publish an event',
  description: `The event can be read at once, and is delivered like any other event. The payload is delivered exactly as written in the request, as \`application/json\`, at most ${maxPayloadText} (a body with a \`Content-Encoding\` is 415), with the type in the header \`Hookline-Event-Type\`. If the \`event_id\` was published within the last 72 hours, the response has the id of the first event. Events with the same \`ordering_key\` keep their order. \`tags\` (five at most, values up to 128 bytes) are texts by which the event is found. A payload that does not match the newest schema of its event type is 400 if the type has \`enforce: reject\`, and is accepted with the tag \`schema:mismatch\` if it has \`enforce: tag\`; one that could not be checked is accepted with the tag \`schema:unjudged\` if the type has \`enforce: tag\`; with \`enforce: reject\` it is 503, or 422 where the schema itself takes more than its limit. Needs the scope \`publish\`.`,
  answers: { 202: { is: 'The event is accepted', body: 'PublishedEvent', headers: ['Location'] } },
  errors: ['schema_unusable'],
};

/**
 * `POST /v1/events`: an event of one's own. It is readable when it is answered for, and goes to its topic right after, or as soon as Kafka is
 * back: services/api/outbox. The payload's own text is delivered.
 */
export const publishEvent: Route = (deps) => {
  const { idempotency, waiting, outbox, clock, random, metrics, log } = deps;
  const enforcement = createEnforcement({ postgres: deps.postgres, checks: deps.schemaChecks, clock });
  const publishing = createPublishing({ store: idempotency.store, waiting, outbox, metrics, clock, log });
  return route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/events',
    config: {
      operation,
      scope: 'publish',
      keptAsBytes: ['payload'],
      inGroups: true,
      audit: { none: 'an event is data, which says itself when it came and by which source' },
    },
    bodyLimit: bodyLimits.payload,
    schema: { body },
    async handler(request, reply) {
      const { tenant, idempotent, span } = request;
      const { type, event_id: eventId = null, ordering_key: orderingKey = null, tags: given = {} } = request.body;
      const errors = tagErrors(given);
      if (errors.length > 0) return sendInvalid(reply, errors);
      const text = memberText(request.bodyText, 'payload') ?? '';
      const payload = Buffer.from(text);
      if (payload.length > maxPayloadBytes) return sendTooLarge(reply, `The payload may have ${maxPayloadText}`);
      const judged = await enforcement.judge({ tenant, type, text: () => text });
      if (judged.kind === 'mismatch' && judged.enforce === 'reject')
        return sendInvalid(reply, [{ field: `/payload${judged.field}`, message: judged.message }]);
      const refused = refuseUnjudged(reply, judged, type);
      if (refused !== undefined) return refused;

      const nowMs = clock.nowMs();
      const event = {
        tenant,
        id: createId('evt', nowMs, random),
        receiptId: createId('rcp', nowMs, random),
        type,
        payload,
        eventId,
        randomKey: random(16),
        orderingKey,
        tags: { ...given, ...schemaTagOf(judged) },
        traceparent: newTraceparent(span.traceparent),
        nowMs,
      };
      const note = (id: string): void => {
        request.eventId = id;
        span.set({ [attribute.eventId]: id });
      };
      const joined = await idempotent.join(async (keyed) => {
        const { ending, id } = await publishing.publish(event, keyed);
        if (ending.kind === 'kept') note(id);
        return ending;
      });
      if ('answer' in joined) return sendResponse(reply, joined.answer);

      const { effects, afterCommit } = joined.alone;
      // Its COMMIT is the request's own, so its row is left to the sweep.
      const id = await effects.transaction(async (tx) => {
        const { ids, inserted } = await insertPublishedEvents(tx, [event], false);
        await inserted;
        return ids[0] as string;
      });
      afterCommit(outbox.wake);
      note(id);
      return sendResponse(reply, publishedAnswer(id));
    },
  });
};
