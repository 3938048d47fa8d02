import type { EndpointHealth, Stats } from '#lib/api-contract';
import type { StatSeries } from '#lib/contract';
import type { ReadApi } from './console-api.ts';

/** Sums and steps of `GET /v1/stats`. */

type Series = Stats['series'][number];

const sumOf = ({ counts }: Series): number => counts.reduce((sum, { count }) => sum + count, 0);

/** All of a series, of every key. */
export const total = ({ series }: Stats, name: StatSeries): number =>
  series.filter((one) => one.series === name).reduce((sum, one) => sum + sumOf(one), 0);

/** The total of each key in each series. */
export function totalsByKey({ series }: Stats): ReadonlyMap<string, Readonly<Record<StatSeries, number>>> {
  const none = { received: 0, duplicates: 0, rejected: 0, delivered: 0, failed: 0, dead_lettered: 0 };
  const totals = new Map<string, Record<StatSeries, number>>();
  for (const one of series) {
    if (one.key === null) continue;
    const known = totals.get(one.key) ?? { ...none };
    known[one.series] += sumOf(one);
    totals.set(one.key, known);
  }
  return totals;
}

/** Every step of the time, also those without any: null where it ended before counting began. */
export function steps(stats: Stats, name: StatSeries, stepMs: number): readonly { at: string; value: number | null }[] {
  const counted = new Map<number, number>();
  for (const { series, counts } of stats.series)
    if (series === name)
      for (const { at, count } of counts) counted.set(Date.parse(at), (counted.get(Date.parse(at)) ?? 0) + count);
  const since = Date.parse(stats.since);
  const countedSince = stats.counted_since === null ? Number.POSITIVE_INFINITY : Date.parse(stats.counted_since);
  const length = Math.round((Date.parse(stats.until) - since) / stepMs);
  return Array.from({ length }, (_, index) => {
    const at = since + index * stepMs;
    const value = counted.get(at) ?? (at + stepMs <= countedSince ? null : 0);
    return { at: new Date(at).toISOString(), value };
  });
}

/** Whether counting began within the time that is shown, or not at all. */
export const isPartlyCounted = ({ since, counted_since: countedSince }: Stats): boolean =>
  countedSince === null || countedSince > since;

/** The health of endpoints, by id. One that can't be told is left out. */
export async function askHealth(api: ReadApi, ids: readonly string[]): Promise<ReadonlyMap<string, EndpointHealth>> {
  const asked = await Promise.all(
    ids.map(async (id) => [id, await api.ask('GET /v1/endpoints/:id/health', { params: { id } })] as const),
  );
  return new Map(asked.flatMap(([id, health]) => (health.ok ? [[id, health.value]] : [])));
}
