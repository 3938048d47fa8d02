import type { ReadApi } from '../api-calls/console-api.ts';

const wanted = ['received', 'duplicates', 'rejected'] as const;

export type DayCounts = Readonly<Record<(typeof wanted)[number], number>>;

/** The counts of a source's last 24 hours; undefined if they can’t be told now: the page is of use without them. */
export async function dayCounts(api: ReadApi, source: string): Promise<DayCounts | undefined> {
  const query = { series: wanted.join(','), by: 'source', step: '1h' } as const;
  const stats = await api.ask('GET /v1/stats', { query });
  if (!stats.ok) return undefined;
  const sum = (series: string): number =>
    stats.value.series
      .filter((one) => one.series === series && one.key === source)
      .flatMap(({ counts }) => counts)
      .reduce((all, { count }) => all + count, 0);
  return { received: sum('received'), duplicates: sum('duplicates'), rejected: sum('rejected') };
}
