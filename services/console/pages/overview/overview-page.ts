import { html, type Html } from '#lib/html';
import type { PageContent } from '../../page-result.ts';
import { minute } from '../../parts/minute.ts';
import type { Overview } from '../../routes/overview/ask-overview.ts';
import { type RangeName, ranges } from '../../routes/overview/ranges.ts';
import type { Tenant } from '../../routes/operator/tenant.ts';
import { tenantsInUse } from '../operator/tenants-in-use.ts';
import { unlessAway } from './card.ts';
import { figures } from './figures.ts';
import { firstSteps } from './first-steps.ts';
import { needsYou } from './needs-you.ts';
import { endpointsWorstFirst, typesMostFirst } from './rankings.ts';

interface Given {
  base: string;
  t: string;
  tenant: string;
  overview: Overview;
  /** Other tenants to look at, where this one is empty. */
  inUse: readonly Tenant[];
  range: RangeName;
  mayWrite: boolean;
  /** RFC 3339. */
  now: string;
}

/** The overview: first what needs somebody, then what goes on. */
export const overviewPage = (given: Given): PageContent => ({
  title: 'Overview',
  subtitle: html`as of ${minute(given.now)}`,
  actions: rangeChoice(given),
  body: html`${tenantsInUse(given.base, given.inUse)}${firstSteps(given)}
${needsYou(given)}
${unlessAway(given.overview.sums, 'The counts', (stats) => figures({ ...given, stats }))}
<div class="rankings">${endpointsWorstFirst(given)}${typesMostFirst(given)}</div>`,
});

const rangeChoice = ({ t, range }: Given): Html =>
  html`<nav class="choice" aria-label="Time that is counted">${(Object.keys(ranges) as RangeName[]).map(
    (name) =>
      html`<a href="${t}?since=${name}"${name === range && html` aria-current="true"`}>${ranges[name].label}</a>`,
  )}</nav>`;
