import { html, type Html } from '#lib/html';
import { withQuery } from '../../api-calls/paths.ts';
import { readTenantNames } from '../../api-calls/tenant-names.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { deadLetterFilters, deadLetterStatusFilter } from '../../pages/dead-letters/dead-letter-filters.ts';
import { listPage, listParameters } from '../../pages/list-page.ts';
import { breakable } from '../../parts/breakable.ts';
import { count } from '../../parts/count.ts';
import { endpointName } from '../../parts/named-link.ts';
import { minute } from '../../parts/minute.ts';
import { deadLetterBadge } from '../../pages/dead-letters/dead-letter-badge.ts';
import { inWords } from '../../parts/words.ts';
import { type DeadLetter, lastOutcome } from './dead-letter.ts';

const nothing = { names: new Map<string, string>(), isComplete: false };
const filterNames = listParameters([
  ...deadLetterFilters({ endpoints: nothing, sources: nothing }, new URLSearchParams()),
  deadLetterStatusFilter,
]);

/** `T/dead-letters`: what could not be processed or delivered, newest first. */
export const deadLetters = tenantPage({
  path: '/dead-letters',
  title: 'Dead letters',
  section: 'dead_letters',
  get: {
    query: filterNames,
    async answer(context) {
      const { t, api, query, can } = context;
      const [listed, names] = await Promise.all([
        api.list<DeadLetter>('/dead-letters', query),
        readTenantNames(context),
      ]);
      const isAny = listed.ok && listed.items.length > 0;
      return listPage<DeadLetter>(context, {
        title: 'Dead letters',
        href: `${t}/dead-letters`,
        listed,
        filters: [...deadLetterFilters(names, query), deadLetterStatusFilter],
        actions: can('write') && isAny ? replayAll(context) : null,
        row: ({ id }) => `${t}/dead-letters/${id}`,
        columns: [
          { header: 'Dead since', cell: ({ at }) => minute(at) },
          {
            header: 'Event type',
            cell: ({ event_type: type }) => (type === null ? 'unknown' : html`<bdi>${breakable(type)}</bdi>`),
          },
          { header: 'Endpoint', cell: ({ endpoint_id: id }) => endpointName(id, { t, names }) },
          { header: 'Reason', cell: reasonCell },
          { header: 'Attempts', isNumber: true, cell: ({ attempts }) => count(attempts) },
          { header: 'Status', cell: deadLetterBadge },
        ],
        pagerWords: { prev: 'Newer', next: 'Older' },
        empty: {
          title: 'No dead letters: all is well',
          body: 'A delivery that fails until its retries are used up is kept here as a dead letter, and so is a record that can’t be processed. Replay it from here once its cause is fixed.',
        },
      });
    },
  },
});

const reasonCell = (letter: DeadLetter): Html => {
  const outcome = lastOutcome(letter);
  return html`<span>${inWords(letter.reason)}${outcome !== undefined && html` <span class="muted">· <span class="whole">${outcome}</span></span>`}</span>`;
};

/** Nothing but what is dead can be replayed: the filter by status is left out. */
function replayAll({ t, query }: TenantContext): Html | null {
  const status = query.get('status');
  if (status !== null && status !== 'dead') return null;
  const chosen = deadLetterFilters({ endpoints: nothing, sources: nothing }, query)
    .map(({ name }) => [name, query.get(name)] as const)
    .flatMap(([name, value]) => (value === null ? [] : [[name, value] as [string, string]]));
  const href = withQuery(`${t}/replays/new`, new URLSearchParams([['what', 'dead_letters'], ...chosen]));
  return html`<a class="button primary" data-key="r" href="${href}">Replay all${chosen.length === 0 ? '' : ' that match'} …</a>`;
}
