import { holdSeconds } from '../../api-calls/hold-seconds.ts';
import { path, withQuery } from '../../api-calls/paths.ts';
import { fragment } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { replayProgress } from '../../pages/replays/progress.ts';
import type { ReplayProgress } from './replay.ts';

/** `T/live/replays/:id`: the progress alone, for islands/live-replay.ts; with `wait`, held until it changes. */
export const liveReplay = tenantPage({
  path: '/live/replays/:id',
  title: 'Replay, live',
  section: 'replays',
  get: {
    capability: 'view',
    query: ['wait'],
    async answer({ api, params, query, t }) {
      const asked = withQuery(path`/replays/${params.id}`, { wait: query.has('wait') ? holdSeconds : undefined });
      const replay = await api.get<ReplayProgress>(asked);
      return fragment(replayProgress(replay, `${t}/replays/${replay.id}`));
    },
  },
});
