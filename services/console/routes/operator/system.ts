import { page } from '../../page-result.ts';
import { operatorPage } from '../../page.ts';
import { systemPage } from '../../pages/operator/system-page.ts';

/** `/system`: processes, lag, dependencies. */
export const system = operatorPage({
  path: '/system',
  title: 'System',
  section: 'system',
  get: {
    async answer({ api, settings, clock }) {
      return page(systemPage({ system: await api.call('GET /v1/system'), settings, nowMs: clock.nowMs() }));
    },
  },
});

export const systemPages = [system];
