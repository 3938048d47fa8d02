import { consolePages } from './console.ts';
import { deadLetters } from './dead-letters.ts';
import { delivering } from './delivering.ts';
import { overview } from './overview.ts';
import type { Dashboard } from './panel.ts';
import { polling } from './polling.ts';
import { receiving } from './receiving.ts';
import { stores } from './stores.ts';

export { dashboardJson } from './grafana-json.ts';
export type { Dashboard, Panel, Query } from './panel.ts';

export const dashboards: readonly Dashboard[] = [
  overview,
  receiving,
  delivering,
  deadLetters,
  polling,
  consolePages,
  stores,
];
