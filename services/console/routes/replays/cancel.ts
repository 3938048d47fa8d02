import { html } from '#lib/html';
import { path } from '../../api-calls/paths.ts';
import { page, seeOther } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { postForm } from '../../parts/form.ts';
import { plural } from '../../parts/words.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import { doneWord, isUnderWay, type Replay, replayTitle } from './replay.ts';

/** `T/replays/:id/cancel`: asks, then cancels. */
export const cancelReplay = tenantPage({
  path: '/replays/:id/cancel',
  title: 'Cancel a replay',
  section: 'replays',
  get: {
    scope: 'write',
    capability: 'replay',
    async answer(context) {
      const { api, params, t } = context;
      const replay = await api.get<Replay>(path`/replays/${params.id}`);
      const href = `${t}/replays/${replay.id}`;
      const crumbs = [
        { label: 'Replays', href: `${t}/replays` },
        { label: replayTitle(replay), href },
      ];
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
    async answer({ api, params, t }) {
      const cancelled = await api.send('DELETE', path`/replays/${params.id}`);
      return cancelled.ok ? seeOther(`${t}/replays/${params.id}`) : problemOfFailure(cancelled.failure);
    },
  },
});
