import { html, type Html } from '#lib/html';
import { path, withQuery } from '../../api-calls/paths.ts';
import { readTenantNames } from '../../api-calls/tenant-names.ts';
import { page } from '../../page-result.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { replayProgress } from '../../pages/replays/progress.ts';
import { requestWords } from '../../pages/replays/replay-words.ts';
import { definitions } from '../../parts/definitions.ts';
import { wholeId } from '../../parts/short-id.ts';
import { time } from '../../parts/time.ts';
import { isOpen, isUnderWay, type ReplayProgress, replayTitle } from './replay.ts';

/** `T/replays/:id`: how far it is. */
export const replay = tenantPage({
  path: '/replays/:id',
  title: 'Replay',
  section: 'replays',
  get: {
    capability: 'view',
    async answer(context) {
      const { api, params, t } = context;
      const replay = await api.get<ReplayProgress>(path`/replays/${params.id}`);
      const { id, created_at: createdAt, rate_per_second: rate } = replay;
      const href = `${t}/replays/${id}`;
      const names = await readTenantNames(context);
      const buttons = actions(context, replay);
      const progress = replayProgress(replay, href);
      return page({
        title: replayTitle(replay),
        subtitle: wholeId(id),
        crumbs: [{ label: 'Replays', href: `${t}/replays` }],
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

function actions({ t, can }: TenantContext, replay: ReplayProgress): Html | undefined {
  if (isUnderWay(replay))
    return can('write', 'replay')
      ? html`<a class="button danger" href="${t}/replays/${replay.id}/cancel" data-while-running>Cancel …</a>`
      : undefined;
  if (!can('write')) return undefined;
  const again = withQuery(`${t}/replays/new`, { what: 'dead_letters', failed_of: replay.id });
  return replay.failed === 0 ? undefined : html`<a class="button primary" href="${again}">Replay the failed ones …</a>`;
}
