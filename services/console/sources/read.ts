import type { Source } from '#lib/api-contract';
import type { StatSeries } from '#lib/contract';
import type { ReadApi } from '../api-calls/console-api.ts';
import { totalsByKey } from '../api-calls/stats.ts';
import type { TenantContext } from '../page.ts';

/** The source of the address. @throws ApiError */
export const sourceOf = ({ api, params }: TenantContext<'/:id'>): Promise<Source> =>
  api.call('GET /v1/sources/:id', { params });

export type DayCounts = Readonly<Partial<Record<StatSeries, number>>>;

/** The counts of a source's last 24 hours; undefined if they can’t be told now: the page is of use without them. */
export async function dayCounts(api: ReadApi, source: string): Promise<DayCounts | undefined> {
  const query = { series: 'received,duplicates,rejected', by: 'source', step: '1h' } as const;
  const stats = await api.ask('GET /v1/stats', { query });
  return stats.ok ? (totalsByKey(stats.value).get(source) ?? {}) : undefined;
}
