import { page } from '../../page-result.ts';
import { operatorPage } from '../../page.ts';
import { systemPage } from '../../pages/operator/system-page.ts';
import type { SystemState } from './system-state.ts';

/** `/system`: processes, lag, dependencies. */
export const system = operatorPage({
  path: '/system',
  title: 'System',
  section: 'system',
  get: {
    async answer({ api, settings, clock }) {
      return page(systemPage({ system: await api.get<SystemState>('/system'), settings, nowMs: clock.nowMs() }));
    },
  },
});
