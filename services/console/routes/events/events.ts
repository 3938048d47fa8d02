import { tenantPage } from '../../page.ts';
import { eventFilterNames } from '../../pages/events/event-filters.ts';
import { eventsPage } from '../../pages/events/events-page.ts';
import { findTenantsInUse } from '../operator/find-tenants-in-use.ts';
import type { Event } from './event.ts';
import { namedSources } from './named-sources.ts';

const rowsPerPage = '50';

/** `T/events`: newest first. `live=1` lets new events come onto the page. */
export const events = tenantPage({
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
        api.list<Event>('/events', asked),
        context.isCustomer ? undefined : namedSources(api),
      ]);
      const isEmpty = listed.ok && listed.items.length === 0 && listed.next === undefined && sources?.length === 0;
      return eventsPage(context, { listed, sources, inUse: isEmpty ? await findTenantsInUse(context) : [] });
    },
  },
});
