import { path } from '../../api-calls/paths.ts';
import { page, seeOther } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { erasedEventPage } from '../../pages/events/erased-event-page.ts';
import { eraseEventPage } from '../../pages/events/erase-event-page.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import { type Erasure, type Event, isErased } from './event.ts';

/** `T/events/{id}/erase`: asks before it erases, and leads to the receipt. */
export const eraseEvent = tenantPage({
  path: '/events/:id/erase',
  title: 'Erase an event',
  section: 'events',
  get: {
    scope: 'admin',
    async answer(context) {
      const { api, params, t } = context;
      const event = await api.get<Event>(path`/events/${params.id}`);
      return isErased(event) ? erasedEventPage(event, t) : page(eraseEventPage(context, event));
    },
  },
  post: {
    scope: 'admin',
    async answer({ api, params, t }) {
      const erased = await api.send<Erasure>('DELETE', path`/events/${params.id}`);
      return erased.ok ? seeOther(`${t}/erasures/${erased.value.id}`) : problemOfFailure(erased.failure);
    },
  },
});
