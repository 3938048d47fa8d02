import { page, problem } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { overviewPage } from '../../pages/overview/overview-page.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import { askOverview, failureOfAll } from './ask-overview.ts';
import { isRange, ranges } from './ranges.ts';

/** `T`: the first page of a tenant. */
export const overview = tenantPage({
  path: '',
  title: 'Overview',
  section: 'overview',
  get: {
    query: ['since'],
    async answer({ t, tenant, api, query, can, clock }) {
      const range = query.get('since') ?? '24h';
      if (!isRange(range)) return problem(400, { errors: [{ field: 'since', message: wrongRange }] });
      const asked = await askOverview(api, ranges[range].step);
      const failure = failureOfAll(asked);
      if (failure !== undefined) return problemOfFailure(failure);
      const now = new Date(clock.nowMs()).toISOString();
      return page(overviewPage({ t, tenant, overview: asked, range, mayWrite: can('write'), now }));
    },
  },
});

const wrongRange = `must be one of ${Object.keys(ranges).join(', ')}`;
