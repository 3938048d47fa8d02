import { type ListPage, type Listed, type ReadApi } from '../../api-calls/console-api.ts';
import { orGone } from '../../api-calls/or-gone.ts';
import { path, withQuery } from '../../api-calls/paths.ts';
import { readPayload } from '../../api-calls/read-payload.ts';
import { page, problem } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { erasedEventPage } from '../../pages/events/erased-event-page.ts';
import { eventPage } from '../../pages/events/event-page.ts';
import { payloadText } from '../../parts/payload-text.ts';
import { type Delivery, type Event, type EventMatch, type EventRequest, isErased, type Receipt } from './event.ts';
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
    query: ['endpoints'],
    async answer({ api, params, query, t, can }) {
      const event = await api.get<Event>(path`/events/${params.id}`);
      if (isErased(event)) return page(erasedEventPage(event, t));
      const [payload, request, receipts, deliveries, matching, sources] = await Promise.all([
        orGone(shownPayload(api, params.id)),
        orGone(api.get<EventRequest>(path`/events/${params.id}/request`)),
        listAll<Receipt>(api, path`/events/${params.id}/receipts`),
        listAll<Delivery>(api, path`/events/${params.id}/deliveries`),
        orGone(matchesOf(api, params.id, query.get('endpoints') ?? undefined)),
        namedSources(api),
      ]);
      if (matching?.ok === false) return problem(400, { errors: matching.errors });
      const next = matching?.next?.get('cursor') ?? undefined;
      return page(
        eventPage({
          ...{ t, event, payload, request, receipts, deliveries, sources },
          matches: matching?.items ?? [],
          moreMatches:
            next === undefined
              ? undefined
              : `${withQuery(`${t}${path`/events/${params.id}`}`, { endpoints: next })}#matching`,
          mayReplay: can('write'),
          mayErase: can('admin'),
        }),
      );
    },
  },
});

async function shownPayload(api: ReadApi, id: string) {
  const payload = await readPayload(api, id);
  return { payload, text: await payloadText(payload) };
}

const matchesOf = (api: ReadApi, id: string, cursor: string | undefined): Promise<Listed<EventMatch>> =>
  api.list<EventMatch>(withQuery(path`/events/${id}/matching`, { limit: endpointsPerPage, cursor }));

async function listAll<T>(api: ReadApi, list: string): Promise<ListPage<T>['items']> {
  const listed = await orGone(api.list<T>(withQuery(list, { limit: most })));
  return listed?.ok === true ? listed.items : [];
}
