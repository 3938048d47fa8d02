import { page, problem } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { overviewPage } from '../../pages/overview/overview-page.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import { findTenantsInUse } from '../operator/find-tenants-in-use.ts';
import { askOverview, failureOfAll, isEmpty } from './ask-overview.ts';
import { isRange, ranges } from './ranges.ts';

/** `T`: the first page of a tenant. */
export const overview = tenantPage({
  path: '',
  title: 'Overview',
  section: 'overview',
  get: {
    query: ['since'],
    async answer(context) {
      const { base, t, tenant, api, query, can, clock } = context;
      const range = query.get('since') ?? '24h';
      if (!isRange(range)) return problem(400, { errors: [{ field: 'since', message: wrongRange }] });
      const asked = await askOverview(api, ranges[range].step);
      const failure = failureOfAll(asked);
      if (failure !== undefined) return problemOfFailure(failure);
      const inUse = isEmpty(asked) ? await findTenantsInUse(context) : [];
      const now = new Date(clock.nowMs()).toISOString();
      return page(overviewPage({ base, t, tenant, inUse, overview: asked, range, mayWrite: can('write'), now }));
    },
  },
});

const wrongRange = `must be one of ${Object.keys(ranges).join(', ')}`;
