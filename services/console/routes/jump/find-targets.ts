import { ApiError } from '#client';
import { type Asked, type Listed, type ReadApi } from '../../api-calls/console-api.ts';
import { path, withQuery } from '../../api-calls/paths.ts';
import type { Event } from '../events/event.ts';

/** Where a text may lead to. */
export interface Target {
  /** Below the tenant's base. */
  href: string;
  kind: string;
  label: string;
}

export interface Found {
  targets: readonly Target[];
  /** Lists in which not everything has been looked at. */
  unfinished: readonly Target[];
}

/** The pages of what has an id of its own. */
const pagesByPrefix: Readonly<Record<string, { kind: string; api: string; page: string }>> = {
  dl: { kind: 'Dead letter', api: '/dead-letters', page: '/dead-letters' },
  dlv: { kind: 'Delivery', api: '/deliveries', page: '/deliveries' },
  ep: { kind: 'Endpoint', api: '/endpoints', page: '/endpoints' },
  ers: { kind: 'Erasure', api: '/erasures', page: '/erasures' },
  evt: { kind: 'Event', api: '/events', page: '/events' },
  key: { kind: 'API key', api: '/api-keys', page: '/keys' },
  rpl: { kind: 'Replay', api: '/replays', page: '/replays' },
  src: { kind: 'Source', api: '/sources', page: '/sources' },
};

/** An id says by its beginning what it is of. */
export async function findById(api: ReadApi, id: string): Promise<Target | 'gone' | undefined> {
  const [, prefix = ''] = /^([a-z]+)_[0-9a-z]+$/.exec(id) ?? [];
  const known = Object.hasOwn(pagesByPrefix, prefix) ? pagesByPrefix[prefix] : undefined;
  if (known === undefined) return undefined;
  const asked: Asked<unknown> = await api.ask(known.api + path`/${id}`);
  if (asked.ok) return { href: known.page + path`/${id}`, kind: known.kind, label: id };
  const { failure } = asked;
  if (failure.kind !== 'problem') throw new ApiError(failure);
  // A provider’s own id may begin like one of ours; and who may not see keys finds none.
  if ([400, 403, 404].includes(failure.status)) return undefined;
  if (failure.status === 410) return 'gone';
  throw new ApiError(failure);
}

interface Named {
  id: string;
  name?: string;
  url?: string;
}

const trace = /^[0-9a-f]{32}$/;
const tag = /^[\w.-]{1,64}:./;
/** The form of a type of events. */
const type = /^[!-)+-~]{1,255}$/;

/** Everything that has the text as an id of its sender, a receipt, a trace, a tag, a type, or in its name or URL. */
export async function findByText(api: ReadApi, text: string): Promise<Found> {
  const events = (filter: string, kind: string, isOfOne: boolean) => findEvents(api, { filter, text, kind, isOfOne });
  const found = await Promise.all([
    events('event_id', 'Sender’s id', true),
    text.startsWith('rcp_') && events('receipt_id', 'Receipt', true),
    trace.test(text) && events('trace_id', 'Trace', true),
    tag.test(text) && events('tag', 'Tag', true),
    type.test(text) && events('type', 'Type', false),
    findNamed(api, text, { list: '/endpoints', kind: 'Endpoint' }),
    findNamed(api, text, { list: '/sources', kind: 'Source' }),
  ]);
  const all = found.filter((one) => one !== false);
  return {
    targets: all.flatMap(({ targets }) => targets),
    unfinished: all.flatMap(({ unfinished }) => unfinished),
  };
}

/** @param isOfOne a single event is shown itself; of a type its list is, for one more may come every moment */
async function findEvents(
  api: ReadApi,
  { filter, text, kind, isOfOne }: { filter: string; text: string; kind: string; isOfOne: boolean },
): Promise<Found> {
  const listed = await api.list<Event>(withQuery('/events', { order: 'desc', limit: 2, [filter]: text }));
  const list = { href: withQuery('/events', { [filter]: text }), kind, label: text };
  // The text is nothing that such a filter takes.
  if (!listed.ok) return { targets: [], unfinished: [] };
  const { items, next } = listed;
  const [event] = items;
  if (event === undefined) return { targets: [], unfinished: next === undefined ? [] : [list] };
  const isOne = isOfOne && items.length === 1 && next === undefined;
  return {
    targets: [isOne ? { href: path`/events/${event.id}`, kind: `${kind} of the event`, label: event.id } : list],
    unfinished: [],
  };
}

/** As many are named. */
const maxNamed = 10;

async function findNamed(
  api: ReadApi,
  text: string,
  { list, kind }: { list: '/endpoints' | '/sources'; kind: string },
): Promise<Found> {
  const listed: Listed<Named> = await api.list<Named>(withQuery(list, { q: text, limit: maxNamed }));
  if (!listed.ok) return { targets: [], unfinished: [] };
  const rest = { href: withQuery(list, { q: text }), kind: `${kind}s`, label: `all with “${text}”` };
  return {
    targets: [
      ...listed.items.map(({ id, name, url }) => ({ href: list + path`/${id}`, kind, label: url ?? name ?? id })),
      ...(listed.next === undefined ? [] : [rest]),
    ],
    unfinished: [],
  };
}
