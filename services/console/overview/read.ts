import type { ApiFailure } from '#client';
import type { Stats } from '#lib/api-contract';
import type { StatDimension, StatStep } from '#lib/contract';
import { countsOf } from '../api-calls/calls.ts';
import type { Asked, ReadApi } from '../api-calls/console-api.ts';
import { askHealth, totalsByKey } from '../api-calls/stats.ts';
import { endpointNames, type TenantNames } from '../api-calls/tenant-names.ts';

const minuteMs = 60_000;

/** The times that can be chosen. The API counts the last 60 minutes, 24 hours or 30 days by itself, the step under way included. */
export const ranges = {
  '1h': { label: 'Last hour', step: '1m', stepName: 'minute', stepMs: minuteMs },
  '24h': { label: 'Last 24 hours', step: '1h', stepName: 'hour', stepMs: 60 * minuteMs },
  '30d': { label: 'Last 30 days', step: '1d', stepName: 'day', stepMs: 24 * 60 * minuteMs },
} as const;

export type RangeName = keyof typeof ranges;

export const isRange = (text: string): text is RangeName => Object.hasOwn(ranges, text);

/** The overview's requests to the API. Each part may fail by itself: its card then says so. */

/** The answers, and the health of the endpoints that are shown, by id. */
export type Overview = Awaited<ReturnType<typeof askOverview>>;

/** One more than are shown, to know whether there are more. */
const asked = 11;
export const shownOfEach = asked - 1;
const shownEndpoints = 5;
const named = 200;
const askedReplays = 50;

export async function askOverview(api: ReadApi, step: StatStep) {
  const stats = (by?: StatDimension, series?: string): Promise<Asked<Stats>> =>
    api.ask('GET /v1/stats', { query: { step, by, series } });
  const everything = { all: true, dry_run: true };
  const [sums, byEndpoint, byType, bySource, failing, disabled, deadLetters, replays, endpoints, sources, newest] =
    await Promise.all([
      stats(),
      stats('endpoint'),
      stats('type', 'received,delivered,dead_lettered'),
      stats('source', 'rejected'),
      api.ask('GET /v1/endpoints', { query: { failing: 'true', status: 'enabled', limit: asked } }),
      api.ask('GET /v1/endpoints', { query: { status: 'disabled', limit: asked } }),
      countsOf(api.query('POST /v1/dead-letters/replay', { body: everything })),
      api.ask('GET /v1/replays', { query: { limit: askedReplays } }),
      api.ask('GET /v1/endpoints', { query: { limit: named } }),
      api.ask('GET /v1/sources', { query: { limit: named } }),
      api.ask('GET /v1/events', { query: { order: 'desc', limit: 1 } }),
    ]);
  const shown = new Set([
    ...valueOr(failing, [])
      .slice(0, shownOfEach)
      .map(({ id }) => id),
    ...worstEndpoints(byEndpoint).map(([id]) => id),
  ]);
  return {
    sums,
    byEndpoint,
    byType,
    bySource,
    failing,
    disabled,
    deadLetters,
    replays,
    endpoints,
    sources,
    newest,
    health: await askHealth(api, [...shown]),
  };
}

/** By the share of their attempts that failed. */
export const worstEndpoints = (byEndpoint: Asked<Stats>) =>
  byEndpoint.ok
    ? [...totalsByKey(byEndpoint.value)]
        .filter(([, { delivered, failed }]) => delivered + failed > 0)
        .sort(([, a], [, b]) => share(a) - share(b) || b.failed - a.failed || b.delivered - a.delivered)
        .slice(0, shownEndpoints)
    : [];

const share = ({ delivered, failed }: { delivered: number; failed: number }): number =>
  delivered / (delivered + failed);

export const valueOr = <T>(answer: Asked<T>, otherwise: T): T => (answer.ok ? answer.value : otherwise);

/** The names of endpoints and sources, as far as they could be asked for. */
export const namesIn = ({ endpoints, sources }: Overview): TenantNames => ({
  endpoints: {
    names: endpointNames(valueOr(endpoints, [])),
    isComplete: endpoints.ok && endpoints.value.length < named,
  },
  sources: {
    names: new Map(valueOr(sources, []).map(({ id, name }) => [id, name])),
    isComplete: sources.ok && sources.value.length < named,
  },
});

/** Whether nothing was set up or sent in the tenant yet. */
export const isEmpty = ({ endpoints, sources, newest }: Overview): boolean =>
  [endpoints, sources, newest].every((list) => list.ok && list.value.length === 0);

/** These say something of the whole page: the session has ended, the tenant was deleted, … */
const ofThePage: readonly number[] = [401, 403, 410];

/** Why there is no overview at all; undefined: some of it can be shown. */
export function failureOfAll({ health: _health, ...parts }: Overview): ApiFailure | undefined {
  const failures = Object.values(parts).flatMap((part) => (part.ok ? [] : [part.failure]));
  const decisive = failures.find((failure) => failure.kind === 'problem' && ofThePage.includes(failure.status));
  if (decisive !== undefined) return decisive;
  const isAway = (failure: ApiFailure): boolean => failure.kind !== 'problem' || failure.status >= 500;
  return failures.length === Object.keys(parts).length && failures.every(isAway) ? failures[0] : undefined;
}
