import type { EventTypeSummary } from '#lib/contract';
import { html } from '#lib/html';
import { nameIn, versionOf } from '../../catalog/addresses.ts';
import { portalLinks } from '../../catalog/type-links.ts';
import { page, problem, seeOther } from '../../page-result.ts';
import { portalPage } from '../../page.ts';
import { typeColumns } from '../../pages/catalog/type-table.ts';
import { versionPage } from '../../pages/catalog/version-page.ts';
import { listPage, listParameters } from '../../pages/list-page.ts';
import { customerTypePage } from '../../pages/portal/type-page.ts';
import { readType, readVersion } from './read-type.ts';

/** `/portal/event-types`: those that are described for customers, by name. */
export const portalTypes = portalPage({
  path: '/event-types',
  title: 'Event types',
  section: 'event_types',
  get: {
    capability: 'view',
    query: listParameters([]),
    async answer(context) {
      const { t, api, query } = context;
      return listPage<EventTypeSummary>(context, {
        title: 'Event types',
        href: `${t}/event-types`,
        listed: await api.list<EventTypeSummary>('/event-types', query),
        columns: typeColumns,
        row: ({ name }) => portalLinks(t).type(name),
        empty: { title: 'No event type is described', body: 'Events may be sent all the same.' },
      });
    },
  },
});

/** `/portal/event-types/:name` */
export const portalType = portalPage({
  path: '/event-types/:name',
  title: 'Event type',
  section: 'event_types',
  get: {
    capability: 'view',
    query: ['name'],
    async answer({ t, api, params, query }) {
      const to = portalLinks(t);
      const name = nameIn(params.name, query);
      if (name === undefined) return problem(404);
      const found = await readType(api, name);
      if (found.kind === 'moved') return seeOther(to.type(found.to));
      const { type } = found;
      return page({ title: type.name, crumbs: crumbs(t), body: customerTypePage(type, to) });
    },
  },
});

/** `/portal/event-types/:name/v/:version` */
export const portalTypeVersion = portalPage({
  path: '/event-types/:name/v/:version',
  title: 'Version',
  section: 'event_types',
  get: {
    capability: 'view',
    query: ['name'],
    async answer({ t, api, params, query }) {
      const to = portalLinks(t);
      const number = versionOf(params.version);
      const name = nameIn(params.name, query);
      if (number === undefined || name === undefined) return problem(404);
      const found = await readType(api, name);
      if (found.kind === 'moved') {
        // Versions of a merged type are none of the other type's.
        if (found.by === 'merged') return seeOther(to.type(found.to));
        await readVersion(api, found.to, number);
        return seeOther(to.version(found.to, number));
      }
      const { type } = found;
      return page({
        title: `${type.name}, version ${number}`,
        crumbs: [...crumbs(t), { label: type.name, href: to.type(type.name) }],
        body: html`${versionPage(type, await readVersion(api, type.name, number), to)}`,
      });
    },
  },
});

const crumbs = (t: string) => [{ label: 'Event types', href: `${t}/event-types` }];
