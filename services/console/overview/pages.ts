import type { Tenant } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { page, type PageContent, problem } from '../page-result.ts';
import { tenantPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { findTenantsInUse, tenantsInUse } from '../tenants/index.ts';
import { minute } from '../ui/times.ts';
import { askOverview, failureOfAll, isEmpty, isRange, type RangeName, ranges } from './read.ts';
import { endpointsWorstFirst, figures, firstSteps, needsYou, type Shown, typesMostFirst, unlessAway } from './views.ts';

interface Given extends Shown {
  base: string;
  /** Other tenants to look at, where this one is empty. */
  inUse: readonly Tenant[];
  range: RangeName;
  /** RFC 3339. */
  now: string;
}

/** The overview: first what needs somebody, then what goes on. */
const overviewPage = (given: Given): PageContent => ({
  subtitle: html`as of ${minute(given.now)}`,
  actions: rangeChoice(given),
  body: html`${tenantsInUse(given.base, given.inUse)}${firstSteps(given)}
${needsYou(given)}
${unlessAway(given.overview.sums, 'The counts', (stats) => figures(stats, given))}
<div class="rankings">${endpointsWorstFirst(given)}${typesMostFirst(given)}</div>`,
});

const rangeChoice = ({ t, range }: Given): Html =>
  html`<nav class="choice" aria-label="Time that is counted">${(Object.keys(ranges) as RangeName[]).map(
    (name) =>
      html`<a href="${t}?since=${name}"${name === range && html` aria-current="true"`}>${ranges[name].label}</a>`,
  )}</nav>`;

/** `T`: the first page of a tenant. */
const overview = tenantPage({
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

export const overviewPages = [overview];
