import type { EventTypeVisibility } from '#lib/contract';
import { namedRoute } from '../event-types/named-route.ts';
import { audienceDescription, audienceOf, audienceParameter, ifShown } from '../event-types/shown-types.ts';
import { sendElsewhere } from '../event-types/send-type.ts';
import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { findEventType, versionsJson } from '../resources/event-type.ts';
import { listVersions } from '../resources/event-type-version.ts';
import type { Route } from '../route.ts';

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: { ...audienceParameter, ...pageParameters },
} as const;

/** Versions are whole schemas. */
const maxVersions = 50;

const operation: Operation = {
  tag: 'Event types',
  id: 'listEventTypeVersions',
  summary: 'List versions of an event type, newest first',
  parameters: {
    visibility: audienceDescription,
    limit: 'page size, 1 to 1000, of which at most 50 are on a page; default 100',
  },
  answers: {
    200: page('EventTypeVersion', 'Versions of the event type'),
    301: { is: 'The name is an alias', body: 'EventTypeAlias', headers: ['Location'] },
  },
  errors: ['gone'],
};

/** `GET /v1/event-types/{name}/versions` */
export const listEventTypeVersions: Route = ({ postgres, apiUrl }) =>
  namedRoute<{ Params: { name: string }; Querystring: PageQuery & { visibility?: EventTypeVisibility } }>({
    method: 'GET',
    url: '/v1/event-types/:name/versions',
    config: { operation, capability: 'view' },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant, params, query } = request;
      const page = readPage(query, /^\d{1,9}$/);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const audience = audienceOf(request.caller, query.visibility);
      const found = ifShown(audience, await findEventType(postgres, tenant, params.name));
      const elsewhere = sendElsewhere(reply, found, { name: params.name, below: '/versions' });
      if (elsewhere !== undefined || found === undefined) return elsewhere;
      const limit = Math.min(page.limit, maxVersions);
      const rows = await listVersions(postgres, tenant, found.id, { ...page, limit });
      const next = ({ version }: { version: number }) => ({ cursor: String(version) });
      const shown = takePage(rows, limit, next, { request, reply, apiUrl });
      return versionsJson(postgres, tenant, shown, audience);
    },
  });
