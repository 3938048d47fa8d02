import { html } from '#lib/html';
import { holdSeconds } from '../../api-calls/hold-seconds.ts';
import { fragment, problem } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { eventFilterNames, filtersIn } from '../../pages/events/event-filters.ts';
import { eventColumns, eventHref } from '../../pages/events/event-rows.ts';
import { tableRows } from '../../parts/table.ts';
import type { Event } from '../events/event.ts';
import { sourcesOf } from '../events/named-sources.ts';

/** As many as a list keeps. */
const maxRows = '200';
const pollSeconds = '5';

/**
 * `T/live/events`: the rows that changed since the cursor, and the cursor to go on from. 204: none did; 410: changes have been removed that
 * were perhaps not read.
 */
export const liveEvents = tenantPage({
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
      const listed = await api.list<Event>('/events', asked);
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
