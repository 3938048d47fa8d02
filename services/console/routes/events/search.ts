import { ApiError } from '#client';
import { withQuery } from '../../api-calls/paths.ts';
import { tenantPage } from '../../page.ts';
import { eventFilterNames, filtersIn } from '../../pages/events/event-filters.ts';
import { type EventSearch, searchPage } from '../../pages/events/search-page.ts';
import { namedSources } from './named-sources.ts';

const matchesPerPage = '50';

/** `T/events/search`: events by what is in their payloads. `cursor`: goes on behind what was looked at. */
export const searchEvents = tenantPage({
  path: '/events/search',
  title: 'Search payloads',
  section: 'events',
  get: {
    query: ['filter', ...eventFilterNames, 'cursor'],
    async answer({ api, query, t }) {
      const sources = await namedSources(api);
      const filter = query.get('filter');
      if (filter === null) return searchPage({ t, query, sources });
      const asked = new URLSearchParams([['filter', filter], ...filtersIn(query), ['limit', matchesPerPage]]);
      const cursor = query.get('cursor');
      if (cursor !== null) asked.set('cursor', cursor);
      const found = await api.ask<EventSearch>(withQuery('/events/search', asked));
      if (found.ok) return searchPage({ t, query, sources, found: found.value });
      const { failure } = found;
      if (failure.kind !== 'problem' || failure.status !== 400) throw new ApiError(failure);
      const errors = failure.problem.errors ?? [{ field: 'filter', message: failure.problem.detail ?? 'is not valid' }];
      return searchPage({ t, query, sources, errors });
    },
  },
});
