import type { ReadApi } from '../../api-calls/console-api.ts';
import { withQuery } from '../../api-calls/paths.ts';
import type { Choices } from '../../pages/endpoints/endpoint-form.ts';
import { type Stats, sumOf } from '../../parts/time-chart.ts';

const mostTypes = 40;
const mostSources = 200;
/** What the statistics call all others, and what only subscribers by name get. */
const isType = (key: string | null): key is string => key !== null && key !== 'other' && !key.startsWith('hookline.');

/** What an endpoint can be given: the most frequent event types of the last 30 days, and the sources. What can't be asked is no choice. */
export async function readChoices(api: ReadApi): Promise<Choices> {
  const [stats, sources] = await Promise.all([
    api.ask<Stats>(withQuery('/stats', { series: 'received', by: 'type', step: '1d' })),
    api.ask<readonly { id: string; name: string }[]>(withQuery('/sources', { limit: mostSources })),
  ]);
  const counted = (stats.ok ? stats.value.series : []).map(({ key, counts }) => ({
    key,
    total: sumOf(counts.map(({ count }) => count)),
  }));
  return {
    eventTypes: counted
      .sort((one, other) => other.total - one.total)
      .map(({ key }) => key)
      .filter(isType)
      .slice(0, mostTypes)
      .sort(),
    sources: [
      ...(sources.ok ? sources.value : []).map(({ id, name }) => ({ value: id, label: name })),
      { value: 'api', label: 'API: events that are published' },
    ],
  };
}
