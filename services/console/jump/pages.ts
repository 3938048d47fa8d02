import { ApiError } from '#client';
import { html, type Html } from '#lib/html';
import { path, withQuery } from '../api-calls/calls.ts';
import type { Asked, Listed, ReadApi } from '../api-calls/console-api.ts';
import { page, type PageResult, type PageStatus, problem, seeOther } from '../page-result.ts';
import { tenantPage } from '../page.ts';
import { table } from '../ui/lists.ts';

/** Where a text may lead to. */
interface Target {
  /** Below the tenant's base. */
  href: string;
  kind: string;
  label: string;
}

interface Found {
  targets: readonly Target[];
  /** Lists in which not everything has been looked at. */
  unfinished: readonly Target[];
}

/** The pages of what has an id of its own. */
const pagesByPrefix = {
  dl: { kind: 'Dead letter', name: 'GET /v1/dead-letters/:id', page: '/dead-letters' },
  dlv: { kind: 'Delivery', name: 'GET /v1/deliveries/:id', page: '/deliveries' },
  ep: { kind: 'Endpoint', name: 'GET /v1/endpoints/:id', page: '/endpoints' },
  ers: { kind: 'Erasure', name: 'GET /v1/erasures/:id', page: '/erasures' },
  evt: { kind: 'Event', name: 'GET /v1/events/:id', page: '/events' },
  key: { kind: 'API key', name: 'GET /v1/api-keys/:id', page: '/keys' },
  rpl: { kind: 'Replay', name: 'GET /v1/replays/:id', page: '/replays' },
  src: { kind: 'Source', name: 'GET /v1/sources/:id', page: '/sources' },
} as const;

const isPrefix = (text: string): text is keyof typeof pagesByPrefix => Object.hasOwn(pagesByPrefix, text);

/** An id says by its beginning what it is of. */
async function findById(api: ReadApi, id: string): Promise<Target | 'gone' | undefined> {
  const [, prefix = ''] = /^([a-z]+)_[0-9a-z]+$/.exec(id) ?? [];
  if (!isPrefix(prefix)) return undefined;
  const known = pagesByPrefix[prefix];
  const asked: Asked<unknown> = await api.ask(known.name, { params: { id } });
  if (asked.ok) return { href: known.page + path`/${id}`, kind: known.kind, label: id };
  const { failure } = asked;
  if (failure.kind !== 'problem') throw new ApiError(failure);
  // A provider’s own id may begin like one of ours; and who may not see keys finds none.
  if ([400, 403, 404].includes(failure.status)) return undefined;
  if (failure.status === 410) return 'gone';
  throw new ApiError(failure);
}

/** Filters of events, for texts of their form. A single event is shown itself; of a type its list is, for one more may come every moment. */
const eventFilters = [
  { name: 'event_id', kind: 'Sender’s id', form: /./, isOfOne: true },
  { name: 'receipt_id', kind: 'Receipt', form: /^rcp_/, isOfOne: true },
  { name: 'trace_id', kind: 'Trace', form: /^[0-9a-f]{32}$/, isOfOne: true },
  { name: 'tag', kind: 'Tag', form: /^[\w.-]{1,64}:./, isOfOne: true },
  { name: 'type', kind: 'Type', form: /^[!-)+-~]{1,255}$/, isOfOne: false },
] as const;
type EventFilter = (typeof eventFilters)[number];

/** Everything that has the text as an id of its sender, a receipt, a trace, a tag, a type, or in its name or URL. */
async function findByText(api: ReadApi, text: string): Promise<Found> {
  const query = { q: text, limit: maxNamed };
  const found = await Promise.all([
    ...eventFilters.filter(({ form }) => form.test(text)).map((filter) => findEvents(api, text, filter)),
    findNamed(text, pagesByPrefix.ep, api.list('GET /v1/endpoints', { query }), ({ url }) => url),
    findNamed(text, pagesByPrefix.src, api.list('GET /v1/sources', { query }), ({ name }) => name),
  ]);
  return {
    targets: found.flatMap(({ targets }) => targets),
    unfinished: found.flatMap(({ unfinished }) => unfinished),
  };
}

const nowhere: Found = { targets: [], unfinished: [] };

async function findEvents(api: ReadApi, text: string, { name, kind, isOfOne }: EventFilter): Promise<Found> {
  const listed = await api.list('GET /v1/events', { query: { order: 'desc', limit: 2, [name]: text } });
  const list = { href: withQuery('/events', { [name]: text }), kind, label: text };
  // The text is nothing that such a filter takes.
  if (!listed.ok) return nowhere;
  const { items, next } = listed;
  const [event] = items;
  if (event === undefined) return { targets: [], unfinished: next === undefined ? [] : [list] };
  const isOne = isOfOne && items.length === 1 && next === undefined;
  const target = isOne ? { href: path`/events/${event.id}`, kind: `${kind} of the event`, label: event.id } : list;
  return { targets: [target], unfinished: [] };
}

/** As many are named. */
const maxNamed = 10;

async function findNamed<T extends { id: string }>(
  text: string,
  { kind, page: list }: { kind: string; page: string },
  asked: Promise<Listed<T>>,
  nameOf: (item: T) => string,
): Promise<Found> {
  const listed = await asked;
  if (!listed.ok) return nowhere;
  const targets = listed.items.map((item) => ({ href: list + path`/${item.id}`, kind, label: nameOf(item) }));
  const rest = { href: withQuery(list, { q: text }), kind: `${kind}s`, label: `all with “${text}”` };
  return { targets: listed.next === undefined ? targets : [...targets, rest], unfinished: [] };
}

const jumpPage = (t: string, text: string, status: PageStatus, body: Html): PageResult =>
  page({
    title: 'Search',
    status,
    body: html`<form class="filters" action="${t}/jump"><div class="field"><label for="jump">Id, type, tag, URL or name</label><input id="jump" name="q" value="${text}" maxlength="200" spellcheck="false" autocomplete="off"></div>
<div class="filter-buttons"><button>Search</button></div></form>${body}`,
  });

/** Several things have it. */
const candidates = (t: string, text: string, { targets, unfinished }: Found): Html =>
  html`${
    targets.length > 0
      ? table<Target>({
          caption: `What “${text}” may be`,
          rows: targets,
          href: ({ href }) => t + href,
          columns: [
            { header: 'Name', cell: ({ label }) => html`<bdi>${label}</bdi>` },
            { header: 'Kind', cell: ({ kind }) => kind },
          ],
        })
      : html`<div class="empty"><h2>Nothing found yet</h2><p>Not all events have been looked at. Go on in the list:</p></div>`
  }${
    unfinished.length > 0 &&
    html`<ul class="links">${unfinished.map(({ href, kind }) => html`<li><a href="${t}${href}">${kind}: look at older events</a></li>`)}</ul>`
  }`;

const nothing = (t: string): Html =>
  html`<div class="empty"><h2>Nothing has this</h2><p>Ids of events, receipts, deliveries, dead letters, endpoints, sources, replays and keys are found when they are whole, and so are the sender’s id, a type, a tag as <code>name:value</code>, and a trace of 32 hexadecimal digits. Endpoints and sources are found by a part of their URL or name.</p><p><a href="${t}/events/search">Search in payloads</a></p></div>`;

const tooShort = html`<div class="empty"><h2>That is too short</h2><p>Enter at least three characters.</p></div>`;

const shortest = 3;
const longest = 300;

/** `T/jump?q=`: goes to whatever has that id, or shows what the text may be. */
const jump = tenantPage({
  path: '/jump',
  title: 'Search',
  get: {
    query: ['q'],
    async answer({ api, query, t }) {
      const text = (query.get('q') ?? '').trim();
      if (text.length < shortest) return jumpPage(t, text, 400, tooShort);
      if (text.length > longest) return jumpPage(t, text.slice(0, longest), 404, nothing(t));
      const one = await findById(api, text);
      if (one === 'gone') return problem(410);
      if (one !== undefined) return seeOther(t + one.href);
      const found = await findByText(api, text);
      const [target] = found.targets;
      if (found.targets.length === 1 && target !== undefined) return seeOther(t + target.href);
      return target === undefined && found.unfinished.length === 0
        ? jumpPage(t, text, 404, nothing(t))
        : jumpPage(t, text, 200, candidates(t, text, found));
    },
  },
});

/** `T/jump`: whatever has an id. */
export const jumpPages = [jump];
