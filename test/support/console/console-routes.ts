import { createId, type IdPrefix } from '#lib/runtime';
import type { Page } from '../../../services/console/page.ts';
import { pages } from '../../../services/console/pages.ts';

/** The kind of thing that a segment of a path names, by the segment before it. */
const kinds = {
  events: 'evt',
  deliveries: 'dlv',
  attempts: 'number',
  endpoints: 'ep',
  sources: 'src',
  rejections: 'rej',
  'dead-letters': 'dl',
  replays: 'rpl',
  keys: 'key',
  'api-keys': 'key',
  sessions: 'ses',
  erasures: 'ers',
  t: 'tenant',
  tenants: 'tenant',
} as const satisfies Record<string, IdPrefix | 'number' | 'tenant'>;

type Kind = (typeof kinds)[keyof typeof kinds];
/** One of each kind. */
export type Ids = Readonly<Record<Exclude<Kind, 'tenant'>, string>>;

export interface ConsoleRoute {
  page: Page;
  path: string;
  isOfTenant: boolean;
  /** The kinds of the parameters below the tenant, in their order. */
  kinds: readonly Exclude<Kind, 'tenant'>[];
  get: Page['handlers']['GET'];
  post: Page['handlers']['POST'];
  /** @param tenant of pages of one, or about one */
  at(tenant: string, ids: Ids): string;
}

export const consoleRoutes: readonly ConsoleRoute[] = pages.map((page) => {
  const names = page.path.split('/').flatMap((segment, index, all) => {
    if (!segment.startsWith(':')) return [];
    const kind = (kinds as Record<string, Kind>)[all[index - 1] ?? ''];
    // A new kind of resource must be among those that the tests have.
    if (kind === undefined) throw new Error(`${page.path}: what is ${segment}?`);
    return [[segment, kind] as const];
  });
  return {
    page,
    path: page.path,
    isOfTenant: page.access === 'tenant',
    kinds: names.flatMap(([, kind]) => (kind === 'tenant' ? [] : [kind])),
    get: page.handlers.GET,
    post: page.handlers.POST,
    at(tenant, ids) {
      const values = names.map(([, kind]) => (kind === 'tenant' ? tenant : ids[kind]));
      return page.path.replace(/:[A-Za-z]+/g, () => values.shift() ?? '');
    },
  };
});

/** Ids of the right form that never were. */
export const idsThatNeverWere = (): Ids => ({
  ...(Object.fromEntries(
    Object.values(kinds)
      .filter((kind) => kind !== 'tenant' && kind !== 'number')
      .map((kind) => [kind, createId(kind as IdPrefix, Date.now())]),
  ) as Omit<Ids, 'number'>),
  number: '999',
});

/** Pages that say what is missing, and rows for islands: they have no content of their own without parameters. */
export const needParameters: Readonly<Record<string, number>> = {
  '/t/:tenant/jump': 400,
  '/t/:tenant/live/events': 400,
  '/t/:tenant/live/deliveries': 400,
  '/session/code': 400,
};
