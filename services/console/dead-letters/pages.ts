import type { DeadLetter, DeadLetterWithPayload } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { startedReplay, withQuery } from '../api-calls/calls.ts';
import { noNames, readTenantNames } from '../api-calls/tenant-names.ts';
import { afterChange } from '../after-change.ts';
import { page } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { crumbsTo } from '../sections.ts';
import { postForm } from '../ui/form.ts';
import { listPage, listParameters } from '../ui/list-page.ts';
import { payloadText, rawMember } from '../ui/payload.ts';
import { breakable, count, endpointName, inWords, wholeId } from '../ui/text.ts';
import { minute } from '../ui/times.ts';
import { deadLetterBadge, deadLetterFilters, deadLetterPage, deadLetterStatusFilter, lastOutcome } from './views.ts';

const anyFilters = deadLetterFilters(noNames, new URLSearchParams());
const filterNames = anyFilters.map(({ name }) => name);

/** `T/dead-letters`: what could not be processed or delivered, newest first. */
const deadLetters = tenantPage({
  path: '/dead-letters',
  title: 'Dead letters',
  section: 'dead_letters',
  get: {
    query: listParameters([...anyFilters, deadLetterStatusFilter]),
    async answer(context) {
      const { t, api, query, can } = context;
      const [listed, names] = await Promise.all([
        api.list('GET /v1/dead-letters', { query }),
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
  const chosen = Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? undefined]));
  const href = withQuery(`${t}/replays/new`, { what: 'dead_letters', ...chosen });
  const which = filterNames.some((name) => query.has(name)) ? ' that match' : '';
  return html`<a class="button primary" data-key="r" href="${href}">Replay all${which} …</a>`;
}

/** `POST T/dead-letters/:id/replay`: one needs no preview. */
const replayDeadLetter = tenantPage({
  path: '/dead-letters/:id/replay',
  title: 'Replay a dead letter',
  section: 'dead_letters',
  post: {
    async answer({ api, params, t }) {
      // A replay of an id that never was would match nothing, and be no error.
      await api.call('GET /v1/dead-letters/:id', { params });
      const started = startedReplay(api.change('POST /v1/dead-letters/replay', { body: { ids: [params.id] } }));
      return afterChange(started, ({ id }) => `${t}/replays/${id}`);
    },
  },
});

/** `T/dead-letters/:id` */
const deadLetter = tenantPage({
  path: '/dead-letters/:id',
  title: 'Dead letter',
  section: 'dead_letters',
  get: {
    async answer(context) {
      const { api, params, t, can } = context;
      const { value: letter, text } = await api.withText('GET /v1/dead-letters/:id', { params });
      const mayReplay = can('write') && letter.status === 'dead' && !letter.shortened;
      return page({
        title: `Dead letter: ${letter.event_type ?? inWords(letter.reason)}`,
        subtitle: wholeId(letter.id),
        crumbs: crumbsTo(t, 'dead_letters'),
        ...(mayReplay && {
          actions: postForm(context, {
            action: `${t}/dead-letters/${letter.id}/replay`,
            submit: 'Replay it',
            isInline: true,
          }),
        }),
        body: deadLetterPage(letter, await shownPayload(letter, text), { t, names: await readTenantNames(context) }),
      });
    },
  },
});

/** @param answer the text of the dead letter: its payload is shown as it came */
async function shownPayload({ payload_encoding: encoding, payload: value }: DeadLetterWithPayload, answer: string) {
  if (encoding === null) return undefined;
  const bytes =
    encoding === 'json' ? Buffer.from(rawMember(answer, 'payload') ?? '') : Buffer.from(String(value), 'base64');
  const payload = { bytes, contentType: '', contentEncoding: undefined };
  return { payload, text: await payloadText(payload) };
}

/** `T/dead-letters`, and what is below it. */
export const deadLetterPages = [deadLetters, deadLetter, replayDeadLetter];
