import { path, withQuery } from '../../api-calls/paths.ts';
import { fragment } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { replayProgress } from '../../pages/replays/progress.ts';
import type { ReplayProgress } from './replay.ts';

/** How long the API holds the request. The script says only that it may be held. */
const holdSeconds = 4;

/** `T/live/replays/:id`: the progress alone, for islands/live-replay.ts; with `wait`, held until it changes. */
export const liveReplay = tenantPage({
  path: '/live/replays/:id',
  title: 'Replay, live',
  section: 'replays',
  get: {
    query: ['wait'],
    async answer({ api, params, query, t }) {
      const asked = withQuery(path`/replays/${params.id}`, { wait: query.has('wait') ? holdSeconds : undefined });
      const replay = await api.get<ReplayProgress>(asked);
      return fragment(replayProgress(replay, `${t}/replays/${replay.id}`));
    },
  },
});
