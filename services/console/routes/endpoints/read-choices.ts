import { ApiError } from '#client';
import type { Stats } from '#lib/api-contract';
import type { EventTypeSummary } from '#lib/contract';
import type { TenantContext } from '../../page.ts';
import type { ReadApi } from '../../api-calls/console-api.ts';
import { isGone } from '../../api-calls/is-gone.ts';
import { withQuery } from '../../api-calls/paths.ts';
import type { Choices } from '../../pages/endpoints/endpoint-form.ts';
import { totalsByKey } from '../overview/stats.ts';

const mostTypes = 40;
const mostSources = 200;
/** Leaves out the statistics' word for all others, and the types that only subscribers by name get. */
const isType = (key: string): boolean => key !== 'other' && !key.startsWith('hookline.');

/** The choices of an endpoint's form. A list that can't be asked for has none. @throws ApiError if the tenant was deleted */
export const readChoices = ({ api, isCustomer }: Pick<TenantContext, 'api' | 'isCustomer'>): Promise<Choices> =>
  isCustomer ? choicesOfCustomer(api) : choicesOfOperator(api);

/** The types that are described for customers. */
async function choicesOfCustomer(api: ReadApi): Promise<Choices> {
  const types = await api.ask<readonly EventTypeSummary[]>(withQuery('/event-types', { limit: mostTypes }));
  const offered = types.ok ? types.value.filter(({ status }) => status !== 'retired') : [];
  return { eventTypes: offered.map(({ name }) => name).sort(), whichTypes: 'Those that are described.', sources: [] };
}

/** The most frequent event types of the last 30 days, and the sources. */
async function choicesOfOperator(api: ReadApi): Promise<Choices> {
  const [stats, sources] = await Promise.all([
    api.ask('GET /v1/stats', { query: { series: 'received', by: 'type', step: '1d' } }),
    api.ask<readonly { id: string; name: string }[]>(withQuery('/sources', { limit: mostSources })),
  ]);
  if (!sources.ok && isGone(sources.failure)) throw new ApiError(sources.failure);
  const received = [...(stats.ok ? totalsByKey(stats.value) : [])];
  return {
    eventTypes: received
      .filter(([type]) => isType(type))
      .sort(([, one], [, other]) => other.received - one.received)
      .slice(0, mostTypes)
      .map(([type]) => type)
      .sort(),
    whichTypes: 'Those received lately.',
    sources: [
      ...(sources.ok ? sources.value : []).map(({ id, name }) => ({ value: id, label: name })),
      { value: 'api', label: 'API: events that are published' },
    ],
  };
}
