import type { FieldError } from '../../api-calls/console-api.ts';
import { path, withQuery } from '../../api-calls/paths.ts';
import { type PageResult, seeOther } from '../../page-result.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { erasedEventPage } from '../../pages/events/erased-event-page.ts';
import { type Receiver, replayEventPage } from '../../pages/events/replay-event-page.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import { type Event, isErased } from './event.ts';

/** As many can be chosen from. */
const mostEndpoints = 200;

/** `T/events/{id}/replay`: sends an event again, to all endpoints that match it today, or to one. */
export const replayEvent = tenantPage({
  path: '/events/:id/replay',
  title: 'Replay an event',
  section: 'events',
  get: {
    scope: 'write',
    capability: 'replay',
    query: ['endpoint_id'],
    answer: (context) => showForm(context, context.query.get('endpoint_id')),
  },
  post: {
    capability: 'replay',
    async answer(context) {
      const { api, form, params, t } = context;
      const endpointId = form.get('endpoint_id');
      const started = await api.send<{ id: string }>('POST', path`/events/${params.id}/replay`, {
        body: endpointId === null || endpointId === '' ? {} : { endpoint_id: endpointId },
      });
      if (started.ok) return seeOther(`${t}/replays/${started.value.id}`);
      const { failure } = started;
      return failure.kind === 'problem' && failure.status === 400
        ? showForm(context, endpointId, failure.problem.errors ?? [])
        : problemOfFailure(failure);
    },
  },
});

async function showForm(
  context: TenantContext<'/events/:id/replay'>,
  endpointId: string | null,
  errors: readonly FieldError[] = [],
): Promise<PageResult> {
  const { api, params } = context;
  const [event, endpoints] = await Promise.all([
    api.get<Event>(path`/events/${params.id}`),
    api.list<Receiver>(withQuery('/endpoints', { status: 'enabled', limit: mostEndpoints })),
  ]);
  if (isErased(event)) return erasedEventPage(event, context.t);
  const choices = endpoints.ok && endpoints.next === undefined ? endpoints.items : undefined;
  return replayEventPage(context, { event, endpoints: choices, endpointId, errors });
}
