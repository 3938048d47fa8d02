import { path } from '../../api-calls/paths.ts';
import { page } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { erasurePage } from '../../pages/events/erasure-page.ts';
import type { Erasure } from './event.ts';

/** `T/erasures/{id}`: the receipt of an erasure. */
export const showErasure = tenantPage({
  path: '/erasures/:id',
  title: 'Erasure',
  section: 'events',
  get: {
    scope: 'admin',
    answer: async ({ api, params, t }) => page(erasurePage(await api.get<Erasure>(path`/erasures/${params.id}`), t)),
  },
});
