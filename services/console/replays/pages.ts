import type { Replay, ReplayItem, ReplayWithFailures } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { holdSeconds, withQuery } from '../api-calls/calls.ts';
import { readTenantNames } from '../api-calls/tenant-names.ts';
import { afterChange } from '../after-change.ts';
import { fragment, page } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { crumbsTo } from '../sections.ts';
import { postForm } from '../ui/form.ts';
import { listPage, listParameters } from '../ui/list-page.ts';
import type { Filter } from '../ui/lists.ts';
import { statusBadge } from '../ui/status.ts';
import { cliCommand, count, definitions, endpointName, plural, shortId, wholeId } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { newReplay } from './new.ts';
import {
  doneWord,
  failureWord,
  isOpen,
  isUnderWay,
  replayBadge,
  replayProgress,
  replayTitle,
  requestWords,
} from './views.ts';

/** `T/replays`: newest first. */
const replays = tenantPage({
  path: '/replays',
  title: 'Replays',
  section: 'replays',
  get: {
    capability: 'view',
    query: listParameters([]),
    async answer(context) {
      const { t, tenant, api, query, isCustomer } = context;
      return listPage<Replay>(context, {
        title: 'Replays',
        href: `${t}/replays`,
        listed: await api.list('GET /v1/replays', { query }),
        row: ({ id }) => `${t}/replays/${id}`,
        columns: [
          { header: 'Begun', cell: ({ created_at: createdAt }) => time(createdAt) },
          { header: 'What', cell: replayTitle },
          { header: 'Status', cell: replayBadge },
          {
            header: 'Done',
            isNumber: true,
            cell: ({ matched, remaining }) => `${count(matched - remaining)} of ${count(matched)}`,
          },
          { header: 'Failed', isNumber: true, cell: ({ failed }) => count(failed) },
          { header: 'Left out', isNumber: true, cell: ({ left_out: leftOut }) => count(leftOut) },
          { header: 'Id', cell: ({ id }) => shortId(id) },
        ],
        pagerWords: { prev: 'Newer', next: 'Older' },
        empty: {
          title: 'No replay yet',
          body: html`A replay sends again what was sent before: ${!isCustomer && html`<a href="${t}/dead-letters">dead letters</a> once their cause is fixed, or `}<a href="${t}/events">events</a>. It begins with a preview of what it would take.`,
          ...(!isCustomer && { command: cliCommand('dlq replay --all --dry-run', tenant) }),
        },
      });
    },
  },
});

/** `T/live/replays/:id`: the progress alone, for islands/live-replay.ts; with `wait`, held until it changes. */
const liveReplay = tenantPage({
  path: '/live/replays/:id',
  title: 'Replay, live',
  section: 'replays',
  get: {
    capability: 'view',
    query: ['wait'],
    async answer({ api, params, query, t }) {
      const wait = query.has('wait') ? { query: { wait: holdSeconds } } : {};
      const replay = await api.call('GET /v1/replays/:id', { params, ...wait });
      return fragment(replayProgress(replay, `${t}/replays/${replay.id}`));
    },
  },
});

/** `T/replays/:id`: how far it is. */
const replay = tenantPage({
  path: '/replays/:id',
  title: 'Replay',
  section: 'replays',
  get: {
    capability: 'view',
    async answer(context) {
      const { api, params, t } = context;
      const replay = await api.call('GET /v1/replays/:id', { params });
      const { id, created_at: createdAt, rate_per_second: rate } = replay;
      const href = `${t}/replays/${id}`;
      const names = await readTenantNames(context);
      const buttons = actions(context, replay);
      const progress = replayProgress(replay, href);
      return page({
        title: replayTitle(replay),
        subtitle: wholeId(id),
        crumbs: crumbsTo(t, 'replays'),
        ...(buttons && { actions: buttons }),
        ...(isOpen(replay) && { islands: ['live-replay'] }),
        body: html`<section class="card">${
          isOpen(replay)
            ? html`<live-replay data-from="${t}/live/replays/${id}">${progress}</live-replay>
<p class="note" data-while-running>You may close this page: the replay continues.<noscript> Reload it to see how far it is.</noscript></p>`
            : progress
        }</section>
<section class="card"><h2>What was asked for</h2>${definitions([
          ['Takes', requestWords(replay.request, { t, names })],
          ['Rate', rate === null ? 'as fast as the endpoints take them' : `${rate} a second`],
          ['Begun', time(createdAt)],
          ['Items', html`<a href="${href}/items">see each of them</a>`],
        ])}</section>`,
      });
    },
  },
});

function actions({ t, can }: TenantContext, replay: ReplayWithFailures): Html | undefined {
  if (isUnderWay(replay))
    return can('write', 'replay')
      ? html`<a class="button danger" href="${t}/replays/${replay.id}/cancel" data-while-running>Cancel …</a>`
      : undefined;
  if (!can('write')) return undefined;
  const again = withQuery(`${t}/replays/new`, { what: 'dead_letters', failed_of: replay.id });
  return replay.failed === 0 ? undefined : html`<a class="button primary" href="${again}">Replay the failed ones …</a>`;
}

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
const replayItems = tenantPage({
  path: '/replays/:id/items',
  title: 'Items of a replay',
  section: 'replays',
  get: {
    capability: 'view',
    query: listParameters(filters),
    async answer(context) {
      const { api, params, query, t, isCustomer } = context;
      const replay = await api.call('GET /v1/replays/:id', { params });
      const [listed, names] = await Promise.all([
        api.list('GET /v1/replays/:id/items', { params, query }),
        readTenantNames(context),
      ]);
      const answer = listPage<ReplayItem>(context, {
        title: 'Items of the replay',
        href: `${t}/replays/${replay.id}/items`,
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
      return answer.kind === 'page' ? { ...answer, crumbs: crumbsOf(replay, t) } : answer;
    },
  },
});

const crumbsOf = (replay: Replay, t: string) =>
  crumbsTo(t, 'replays', { label: replayTitle(replay), href: `${t}/replays/${replay.id}` });

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

/** `T/replays/:id/cancel`: asks, then cancels. */
const cancelReplay = tenantPage({
  path: '/replays/:id/cancel',
  title: 'Cancel a replay',
  section: 'replays',
  get: {
    scope: 'write',
    capability: 'replay',
    async answer(context) {
      const { api, params, t } = context;
      const replay = await api.call('GET /v1/replays/:id', { params });
      const href = `${t}/replays/${replay.id}`;
      const crumbs = crumbsOf(replay, t);
      if (!isUnderWay(replay))
        return page({
          title: 'The replay has ended',
          crumbs,
          body: html`<p>There is nothing left to cancel. <a href="${href}">See its result</a>.</p>`,
        });
      return page({
        title: 'Cancel the replay?',
        crumbs,
        body: html`<p class="lead">${plural(replay.remaining, 'item')} would not be ${doneWord(replay)}${
          replay.operation === null ? ', and would be dead letters again' : ', and would stay as before'
        }. ${plural(replay.replayed, 'item')} ${replay.replayed === 1 ? 'is' : 'are'} ${doneWord(replay)} already, and stay${replay.replayed === 1 ? 's' : ''} so.</p>
<div class="buttons">${postForm(context, { action: `${href}/cancel`, submit: 'Cancel the replay', tone: 'danger', isInline: true })}<a class="button" href="${href}">Let it continue</a></div>`,
      });
    },
  },
  post: {
    capability: 'replay',
    answer: ({ api, params, t }) =>
      afterChange(api.change('DELETE /v1/replays/:id', { params }), () => `${t}/replays/${params.id}`),
  },
});

/** `T/replays`, and what is below it. */
export const replayPages = [replays, newReplay, replay, cancelReplay, replayItems, liveReplay];
