import { html } from '#lib/html';
import { tenantPage } from '../../page.ts';
import { listPage, listParameters } from '../../pages/list-page.ts';
import { replayBadge } from '../../pages/replays/replay-words.ts';
import { cliCommand } from '../../parts/cli-command.ts';
import { count } from '../../parts/count.ts';
import { shortId } from '../../parts/short-id.ts';
import { time } from '../../parts/time.ts';
import { type Replay, replayTitle } from './replay.ts';

/** `T/replays`: newest first. */
export const replays = tenantPage({
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
        listed: await api.list<Replay>('/replays', query),
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
