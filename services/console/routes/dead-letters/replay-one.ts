import { path } from '../../api-calls/paths.ts';
import { seeOther } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';

/** `POST T/dead-letters/:id/replay`: one needs no preview. */
export const replayDeadLetter = tenantPage({
  path: '/dead-letters/:id/replay',
  title: 'Replay a dead letter',
  section: 'dead_letters',
  post: {
    async answer({ api, params, t }) {
      // A replay of an id that never was would match nothing, and be no error.
      await api.get(path`/dead-letters/${params.id}`);
      const started = await api.send<{ id: string }>('POST', '/dead-letters/replay', { body: { ids: [params.id] } });
      return started.ok ? seeOther(`${t}/replays/${started.value.id}`) : problemOfFailure(started.failure);
    },
  },
});
