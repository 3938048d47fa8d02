import { type FieldError, type ListPage, type Listed, type ReadApi } from '../../api-calls/console-api.ts';
import { undefinedIfGone } from '../../api-calls/undefined-if-gone.ts';
import { path, withQuery } from '../../api-calls/paths.ts';
import { readPayload } from '../../api-calls/read-payload.ts';
import { page, problem } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { erasedEventPage } from '../../pages/events/erased-event-page.ts';
import { eventPage } from '../../pages/events/event-page.ts';
import type { Journey } from '../../pages/events/journey.ts';
import { payloadText } from '../../parts/payload-text.ts';
import {
  type Delivery,
  type ErasedEvent,
  type EventMatch,
  type EventRequest,
  isErased,
  type Receipt,
  type WholeEvent,
} from './event.ts';
import { lastAnswers } from './last-answers.ts';
import { namedEndpoints } from './named-endpoints.ts';
import { namedSources } from './named-sources.ts';

/** As many as the API gives at once. An event with more deliveries or receipts has been replayed all the time. */
const most = 1_000;
/** Judging an endpoint costs the API more than reading a row. */
const endpointsPerPage = 200;

/** `T/events/{id}`: where an event came from, what it holds, and where it went. `endpoints`: further endpoints of “why not”. */
export const showEvent = tenantPage({
  path: '/events/:id',
  title: 'Event',
  section: 'events',
  get: {
    capability: 'view',
    query: ['endpoints'],
    async answer({ api, params, query, t, can, isCustomer }) {
      const event = await api.get<WholeEvent | ErasedEvent>(path`/events/${params.id}`);
      if (isErased(event)) return erasedEventPage(event, t);
      const [payload, request, deliveries, explained] = await Promise.all([
        undefinedIfGone(shownPayload(api, params.id)),
        undefinedIfGone(api.get<EventRequest>(path`/events/${params.id}/request`)),
        listAll<Delivery>(api, path`/events/${params.id}/deliveries`),
        isCustomer ? forCustomer(api) : forOperator(api, params.id, query.get('endpoints') ?? undefined),
      ]);
      if ('errors' in explained) return problem(400, { errors: explained.errors });
      const { next, ...more } = explained;
      const answers = await lastAnswers(api, deliveries);
      return page(
        eventPage({
          ...{ t, event, payload, request, deliveries, answers, ...more },
          moreMatches:
            next === undefined
              ? undefined
              : `${withQuery(`${t}${path`/events/${params.id}`}`, { endpoints: next })}#matching`,
          mayReplay: can('write', 'replay'),
          mayErase: can('admin'),
          mayCompare: !isCustomer,
        }),
      );
    },
  },
});

/** The explanations of an event, beside itself. */
type Explained = Pick<Journey, 'receipts' | 'matches' | 'sources' | 'endpoints'> & { next: string | undefined };

async function forCustomer(api: ReadApi): Promise<Explained> {
  const endpoints = await namedEndpoints(api);
  return { endpoints, receipts: undefined, matches: undefined, sources: undefined, next: undefined };
}

async function forOperator(
  api: ReadApi,
  id: string,
  cursor: string | undefined,
): Promise<Explained | { errors: readonly FieldError[] }> {
  const [receipts, matching, sources] = await Promise.all([
    listAll<Receipt>(api, path`/events/${id}/receipts`),
    undefinedIfGone(matchesOf(api, id, cursor)),
    namedSources(api),
  ]);
  if (matching?.ok === false) return { errors: matching.errors };
  const matches = matching?.items ?? [];
  const endpoints = await namedEndpoints(
    api,
    matches.flatMap(({ endpoint_id: id, url }) => (url === null ? [] : [{ id, url }])),
  );
  return { endpoints, receipts, matches, sources, next: matching?.next?.get('cursor') ?? undefined };
}

async function shownPayload(api: ReadApi, id: string) {
  const payload = await readPayload(api, id);
  return { payload, text: await payloadText(payload) };
}

const matchesOf = (api: ReadApi, id: string, cursor: string | undefined): Promise<Listed<EventMatch>> =>
  api.list<EventMatch>(withQuery(path`/events/${id}/matching`, { limit: endpointsPerPage, cursor }));

async function listAll<T>(api: ReadApi, list: string): Promise<ListPage<T>['items']> {
  const listed = await undefinedIfGone(api.list<T>(withQuery(list, { limit: most })));
  return listed?.ok === true ? listed.items : [];
}
