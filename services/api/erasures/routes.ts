import { getErasure } from '#lib/api-contract';
import { formatMicros, nowMicros } from '#lib/clock';
import { createId } from '#lib/ids';
import { filterSchemas, type GivenFilters, readFilters } from '../http/filters.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { type Operation, ref } from '../openapi/operation.ts';
import { type Route, route, serve } from '../route.ts';
import { countEvents, erasureFilters } from './choose-events.ts';
import { findErasure, insertErasure, receiptOf } from './erasure-row.ts';
import { sendErasure } from './send-erasure.ts';

interface Body {
  filter: GivenFilters<typeof erasureFilters>;
  as_of?: string;
  dry_run?: boolean;
}

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['filter'],
  properties: {
    filter: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: filterSchemas(erasureFilters),
    },
    as_of: { type: 'string', maxLength: 100 },
    dry_run: { type: 'boolean' },
  },
} as const;

const operation: Operation = {
  tag: 'Erasures',
  id: 'createErasure',
  summary: 'Erase all events that match a filter',
  description:
    'Requires the `as_of` of a dry run with the same filter: events that were received later are left. With `dry_run`, it answers how many match, and nothing changes.',
  answers: {
    202: {
      is: 'The erasure, or, with `dry_run`, what it would erase',
      body: { anyOf: [ref('Erasure'), ref('ErasurePreview')] },
    },
  },
};

/** `POST /v1/erasures`: a job marks the events that match, page by page, and removes what belongs to them. */
const create: Route = ({ clock, random, asOf }) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/erasures',
    config: { operation, scope: 'admin', dryRunScope: 'read', audit: 'erasure.create' },
    schema: { body },
    async handler(request, reply) {
      const { tenant, body, idempotent } = request;
      const { effects } = idempotent;
      const read = readFilters(erasureFilters, body.filter);
      if ('errors' in read)
        return sendInvalid(
          reply,
          read.errors.map(({ field, message }) => ({ field: `/filter/${field}`, message })),
        );
      const { filter } = read;
      const asked = { tenant, operation: 'erase_events', request: { filter } };
      if (body.dry_run === true) {
        const now = nowMicros(clock);
        const counted = await countEvents(effects, tenant, filter, formatMicros(now));
        return reply
          .code(202)
          .send({ dry_run: true, ...counted, as_of: asOf.write(asked, { at: now, count: counted.matched }) });
      }
      const known = body.as_of === undefined ? undefined : asOf.read(asked, body.as_of);
      if (known === undefined) {
        const message =
          body.as_of === undefined ? missing : 'does not come from a dry run of this tenant with the same filter';
        return sendInvalid(reply, [{ field: '/as_of', message }]);
      }
      const id = createId('ers', clock.nowMs(), random);
      const erasure = await effects.transaction(async (tx) => {
        const facts = { tenant, id, kind: 'events', state: 'marking', event_id: null } as const;
        const begun = await insertErasure(tx, { ...facts, filter, as_of: formatMicros(known.at), events: 0 });
        await request.audit(tx, { id, after: { filter } });
        return begun;
      });
      return sendErasure(reply, erasure);
    },
  });

const missing = 'is required: send the same request with `dry_run`: true, which returns it';

const get = serve(getErasure, ({ postgres }) => async (request, reply) => {
  const erasure = await findErasure(postgres, request.tenant, request.params.id);
  return erasure === undefined ? sendProblem(reply, 'not_found') : receiptOf(erasure);
});

export const erasureRoutes: readonly Route[] = [create, get];
