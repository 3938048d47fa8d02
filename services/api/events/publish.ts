import { publishEvent } from '#lib/api-contract';
import { maxPayloadBytes, maxPayloadText } from '#lib/contract';
import { sendResponse } from '#lib/idempotency';
import { memberText } from '#lib/payload';
import { createEnforcement, schemaTagOf } from '#lib/schema-checks';
import { attribute, newTraceparent } from '#lib/telemetry';
import { bodyLimits } from '../http/body-limits.ts';
import { sendInvalid, sendTooLarge } from '../http/send-problem.ts';
import { serve } from '../route.ts';
import { tagErrors } from '../settings/tags.ts';
import { insertPublishedEvents, publishedEvent } from './published.ts';
import { createPublishing, publishedAnswer } from './publishing/publishing.ts';
import { refuseUnvalidated } from './publishing/refuse-unvalidated.ts';

/**
 * An event of one's own. It is readable when it is answered for, and goes to its topic right after, or as soon as Kafka is back:
 * services/api/outbox. The payload's own text is delivered.
 */
export const publish = serve(
  publishEvent,
  (deps) => {
    const { postgres, schemaChecks: checks, outbox, clock } = deps;
    const enforcement = createEnforcement({ postgres, checks, clock });
    const publishing = createPublishing(deps);
    return async (request, reply) => {
      const { tenant, idempotent, span } = request;
      const { type, event_id = null, ordering_key = null, tags: given = {} } = request.body;
      const errors = tagErrors(given);
      if (errors.length > 0) return sendInvalid(reply, errors);
      const text = memberText(request.bodyText, 'payload') ?? '';
      const payload = Buffer.from(text);
      if (payload.length > maxPayloadBytes) return sendTooLarge(reply, `The payload may have ${maxPayloadText}`);
      const validation = await enforcement.validate({ tenant, type, text: () => text });
      if (validation.kind === 'mismatch' && validation.enforce === 'reject')
        return sendInvalid(reply, [{ field: `/payload${validation.field}`, message: validation.message }]);
      const refused = refuseUnvalidated(reply, validation, type);
      if (refused !== undefined) return refused;

      const tags = { ...given, ...schemaTagOf(validation) };
      const traceparent = newTraceparent(span.traceparent);
      const event = publishedEvent({ tenant, type, payload, event_id, ordering_key, tags, traceparent }, deps);
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
    };
  },
  () => ({ bodyLimit: bodyLimits.payload, keptAsBytes: ['payload'], inGroups: true }),
);
