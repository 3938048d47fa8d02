import { path } from '../../api-calls/paths.ts';
import { tenantPage } from '../../page.ts';
import { listPage, listParameters } from '../../pages/list-page.ts';
import { rejectionColumns } from '../../pages/sources/rejection-table.ts';
import type { Rejection, Source } from './source.ts';

/** `T/sources/:id/rejections`: webhooks that were refused lately, newest first. */
export const rejections = tenantPage({
  path: '/sources/:id/rejections',
  title: 'Rejected webhooks',
  section: 'sources',
  get: {
    query: listParameters([]),
    async answer(context) {
      const { api, params, query, t } = context;
      const source = await api.get<Source>(path`/sources/${params.id}`);
      const href = `${t}/sources/${source.id}`;
      const answer = listPage<Rejection>(context, {
        title: 'Rejected webhooks',
        href: `${href}/rejections`,
        listed: await api.list<Rejection>(path`/sources/${params.id}/rejections`, query),
        row: ({ id }) => `${href}/rejections/${id}`,
        columns: rejectionColumns,
        pagerWords: { prev: 'Newer', next: 'Older' },
        empty: {
          title: 'Nothing was rejected lately',
          body: 'A webhook with a wrong signature, or from an address that may not send, would be here, with the reason.',
        },
      });
      return answer.kind === 'page'
        ? {
            ...answer,
            crumbs: [
              { label: 'Sources', href: `${t}/sources` },
              { label: source.name, href },
            ],
          }
        : answer;
    },
  },
});
