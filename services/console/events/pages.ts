import { html } from '#lib/html';
import { holdSeconds, readPayload, undefinedIfGone, withQuery } from '../api-calls/calls.ts';
import type { FieldError, Listed, ReadApi } from '../api-calls/console-api.ts';
import { bytes, fragment, page, problem } from '../page-result.ts';
import { tenantPage } from '../page.ts';
import { findTenantsInUse } from '../tenants/index.ts';
import { tableRows } from '../ui/lists.ts';
import { payloadFacts, payloadText, payloadView } from '../ui/payload.ts';
import { publishEvent, replayEvent } from './actions.ts';
import { erasedEventPage, eraseEvent, showErasure } from './erasures.ts';
import { eventPage } from './event-views.ts';
import type { Journey } from './explain-views.ts';
import { eventColumns, eventFilterNames, eventsPage, filtersIn } from './list-views.ts';
import { eventCrumbs, eventHref } from './names.ts';
import { isErased, lastAnswers, namedEndpoints, namedSources, sourcesOf } from './read.ts';
import { searchEvents } from './search.ts';

const rowsPerPage = '50';

/** `T/events`: newest first. `live=1` lets new events come onto the page. */
const events = tenantPage({
  path: '/events',
  title: 'Events',
  section: 'events',
  get: {
    capability: 'view',
    query: [...eventFilterNames, 'page', 'limit', 'live'],
    async answer(context) {
      const { api, query } = context;
      const asked = new URLSearchParams([['order', 'desc'], ...query]);
      asked.delete('live');
      if (!asked.has('limit')) asked.set('limit', rowsPerPage);
      const [listed, sources] = await Promise.all([
        api.list('GET /v1/events', { query: asked }),
        context.isCustomer ? undefined : namedSources(api),
      ]);
      const isEmpty = listed.ok && listed.items.length === 0 && listed.next === undefined && sources?.length === 0;
      return eventsPage(context, listed, sources, isEmpty ? await findTenantsInUse(context) : []);
    },
  },
});

/** As many as the API gives at once. An event with more deliveries or receipts has been replayed all the time. */
const most = 1_000;
/** Matching an endpoint costs the API more than reading a row. */
const endpointsPerPage = 200;

/** `T/events/{id}`: where an event came from, what it holds, and where it went. `endpoints`: further endpoints of “why not”. */
const showEvent = tenantPage({
  path: '/events/:id',
  title: 'Event',
  section: 'events',
  get: {
    capability: 'view',
    query: ['endpoints'],
    async answer({ api, params, query, t, can, isCustomer }) {
      const event = await api.call('GET /v1/events/:id', { params });
      if (isErased(event)) return erasedEventPage(event, t);
      const [payload, request, deliveries, explained] = await Promise.all([
        undefinedIfGone(shownPayload(api, params.id)),
        undefinedIfGone(api.call('GET /v1/events/:id/request', { params })),
        listAll(api.list('GET /v1/events/:id/deliveries', { params, query: { limit: most } })),
        isCustomer ? forCustomer(api) : forOperator(api, params.id, query.get('endpoints') ?? undefined),
      ]);
      if ('errors' in explained) return problem(400, { errors: explained.errors });
      const { next, ...more } = explained;
      const answers = await lastAnswers(api, deliveries);
      const moreMatches = next && `${withQuery(eventHref(t)(event), { endpoints: next })}#matching`;
      const shown = { t, event, payload, request, deliveries, answers, ...more, moreMatches };
      return page(eventPage(shown, { can, isCustomer }));
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
    listAll(api.list('GET /v1/events/:id/receipts', { params: { id }, query: { limit: most } })),
    undefinedIfGone(
      api.list('GET /v1/events/:id/matching', { params: { id }, query: { limit: endpointsPerPage, cursor } }),
    ),
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

async function listAll<T>(asked: Promise<Listed<T>>): Promise<readonly T[]> {
  const listed = await undefinedIfGone(asked);
  return listed?.ok === true ? listed.items : [];
}

/** All of the largest payload, where it is in lines already. */
const maxCharacters = 2 * 1024 * 1024;

/** `T/events/{id}/payload`: for reading; with `raw=1` the bytes as text, with `download=1` as a file. 410 once it is kept no longer. */
const eventPayload = tenantPage({
  path: '/events/:id/payload',
  title: 'Payload',
  section: 'events',
  get: {
    capability: 'view',
    query: ['raw', 'download'],
    async answer({ api, params: { id }, query, t }) {
      const payload = await readPayload(api, id);
      if (query.has('raw') || query.has('download'))
        return bytes(payload.bytes, `${id}.${extensionOf(payload.contentType)}`, query.has('raw'));
      const href = eventHref(t)({ id });
      return page({
        subtitle: html`${payloadFacts(payload)}`,
        crumbs: eventCrumbs(t, { id }),
        actions: html`<a class="button" href="${href}/payload?raw=1">Raw</a><a class="button" href="${href}/payload?download=1">Download</a>`,
        body: payloadView({ payload, text: await payloadText(payload), maxCharacters }),
      });
    },
  },
});

const extensionOf = (contentType: string): string => (/[/+]json\b/.test(contentType) ? 'json' : 'bin');

/** As many as a list keeps. */
const maxRows = '200';
const pollSeconds = '5';

/**
 * `T/live/events`: the rows that changed since the cursor, and the cursor to go on from. 204: none did; 410: changes have been removed that
 * were perhaps not read.
 */
const liveEvents = tenantPage({
  path: '/live/events',
  title: 'Events, live',
  section: 'events',
  get: {
    capability: 'view',
    query: [...eventFilterNames, 'cursor', 'wait'],
    async answer({ api, query, t, isCustomer }) {
      const cursor = query.get('cursor');
      if (cursor === null) return problem(400, { errors: [{ field: 'cursor', message: 'is missing' }] });
      const asked = new URLSearchParams([...filtersIn(query), ['cursor', cursor], ['limit', maxRows]]);
      if (query.has('wait')) asked.set('wait', String(holdSeconds));
      const listed = await api.list('GET /v1/events', { query: asked });
      if (!listed.ok) return problem(400, { errors: listed.errors });
      const { items: rows, next, header } = listed;
      const headers = {
        'hookline-cursor': header('hookline-cursor') ?? cursor,
        'x-poll-interval': header('x-poll-interval') ?? pollSeconds,
        // More changed than fit: the next request need not wait.
        ...(next !== undefined && { 'hookline-more': '1' }),
      };
      if (rows.length === 0) return fragment(html``, { status: 204, headers });
      const sources = await sourcesOf({ api, isCustomer }, rows);
      return fragment(tableRows({ columns: eventColumns(sources), rows, href: eventHref(t) }), { headers });
    },
  },
});

/** `T/live/…`: rows for islands. */
export const livePages = [liveEvents];

/** `T/events`, and what is below it; `T/erasures/{id}`. */
export const eventPages = [
  events,
  searchEvents,
  publishEvent,
  showEvent,
  eventPayload,
  replayEvent,
  eraseEvent,
  showErasure,
];
