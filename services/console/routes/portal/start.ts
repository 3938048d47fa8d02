import { path, withQuery } from '../../api-calls/paths.ts';
import { page, problem } from '../../page-result.ts';
import { portalPage } from '../../page.ts';
import { customerStart } from '../../pages/portal/start-page.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';

const mostEndpoints = 10;

/** `/portal`: where a customer arrives. */
export const portalStart = portalPage({
  path: '',
  title: 'Your webhooks',
  section: 'overview',
  get: {
    capability: 'view',
    async answer(context) {
      const listed = await context.api.list<Endpoint>(withQuery(path`/endpoints`, { limit: mostEndpoints }));
      if (!listed.ok) return problem(503, { retryAfterSeconds: 5 });
      return page({
        body: customerStart(context, { endpoints: listed.items, hasMore: listed.next !== undefined }),
      });
    },
  },
});
