import { html, type Html } from '#lib/html';
import { path } from '../../api-calls/paths.ts';
import { readTenantNames } from '../../api-calls/tenant-names.ts';
import { type TenantContext, tenantPage } from '../../page.ts';
import { listPage, listParameters } from '../../pages/list-page.ts';
import { failureWord } from '../../pages/replays/replay-words.ts';
import type { Filter } from '../../parts/filter-form.ts';
import { endpointName } from '../../parts/named-link.ts';
import { shortId } from '../../parts/short-id.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { doneWord, type Replay, type ReplayItem, replayTitle } from './replay.ts';

const filters: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: 'Status',
    options: ['waiting', 'sending', { value: 'replayed', label: 'done' }, 'failed', 'left_out', 'cancelled'],
  },
  {
    kind: 'choice',
    name: 'outcome',
    label: 'What became of it',
    options: ['delivered', 'waiting', { value: 'dead_lettered', label: 'dead-lettered' }, 'cancelled'],
  },
];

/** `T/replays/:id/items`: what it takes, one by one. */
export const replayItems = tenantPage({
  path: '/replays/:id/items',
  title: 'Items of a replay',
  section: 'replays',
  get: {
    capability: 'view',
    query: listParameters(filters),
    async answer(context) {
      const { api, params, query, t, isCustomer } = context;
      const replay = await api.get<Replay>(path`/replays/${params.id}`);
      const [listed, names] = await Promise.all([
        api.list<ReplayItem>(path`/replays/${params.id}/items`, query),
        readTenantNames(context),
      ]);
      const href = `${t}/replays/${replay.id}`;
      const answer = listPage<ReplayItem>(context, {
        title: 'Items of the replay',
        href: `${href}/items`,
        listed,
        filters,
        columns: [
          { header: 'Item', cell: ({ item }) => item },
          { header: 'What', cell: (item) => whatItIs(item, { t, isCustomer }) },
          { header: 'Endpoint', cell: ({ endpoint_id: id }) => endpointName(id, { t, names }) },
          {
            header: 'Status',
            cell: ({ status }) => (status === 'replayed' ? statusBadge(status, doneWord(replay)) : statusBadge(status)),
          },
          { header: 'What became of it', cell: ({ outcome }) => (outcome === null ? html`–` : statusBadge(outcome)) },
          { header: 'Why it could not be sent', cell: ({ reason }) => failureWord(reason) },
        ],
        empty: {
          title: 'No item yet',
          body: 'Items are chosen while the replay runs. Reload the page in a moment.',
        },
      });
      return answer.kind === 'page'
        ? {
            ...answer,
            crumbs: [
              { label: 'Replays', href: `${t}/replays` },
              { label: replayTitle(replay), href },
            ],
          }
        : answer;
    },
  },
});

/** The item's subject, the most telling part first. */
function whatItIs(
  { dead_letter_id: deadLetterId, delivery_id: deliveryId, event_id: eventId }: ReplayItem,
  { t, isCustomer }: Pick<TenantContext, 't' | 'isCustomer'>,
): Html {
  if (deadLetterId !== null && !isCustomer)
    return html`<a href="${t}/dead-letters/${deadLetterId}">${shortId(deadLetterId)}</a>`;
  if (deliveryId !== null)
    return html`<a href="${t}/deliveries/${encodeURIComponent(deliveryId)}">${shortId(deliveryId)}</a>`;
  return eventId === null
    ? html`–`
    : html`<a href="${t}/events/${encodeURIComponent(eventId)}">${shortId(eventId)}</a>`;
}
