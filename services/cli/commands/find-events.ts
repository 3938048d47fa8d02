import type { Client } from '#client';
import type { ErasedEvent, Event } from '#lib/api-contract';
import { omitAbsent, queryOf, readTimes, timeForms } from '../options/values.ts';
import { list, text, type Values } from '../verb.ts';

/** The filters of a search, which goes by the time of receipt, not of changes. */
export const searchOptions = {
  type: text('NAME', 'events of this type'),
  status: text('NAME', 'received, processing, completed or dead_lettered'),
  source: text('ID', 'events of this source'),
  tag: list('NAME:VALUE', 'events with this tag'),
};

/** The filters of the changes of events. */
export const filterOptions = {
  ...searchOptions,
  since: text('TIME', `changed at this time or later: ${timeForms}`),
};

/** The API's parameters, except for the time. */
export const filterOf = ({ type, status, source, tag }: Values<typeof searchOptions>) => ({
  type,
  status,
  source_id: source,
  tag,
});

/** The filters of lists in the order of receipt. */
export const findOptions = {
  type: searchOptions.type,
  status: searchOptions.status,
  source: searchOptions.source,
  receipt: text('ID', 'the event of the webhook that was answered with this receipt (rcp_…)'),
  'event-id': text('ID', 'the identifier given by the sender or publisher'),
  endpoint: text('ID', 'events with a delivery to this endpoint'),
  'ordering-key': text('TEXT', 'events with this ordering key'),
  trace: text('ID', 'the trace of the event: 32 hexadecimal digits'),
  tag: searchOptions.tag,
  has: list('NAME', 'events with duplicates, changed (duplicates of another body) or dead_letters'),
  since: text('TIME', `received at this time or later: ${timeForms}`),
  until: text('TIME', 'received before this time'),
};

/** The API's fields. */
export function findFilter(values: Values<typeof findOptions>, nowMs: number): Record<string, string | string[]> {
  const { since, until } = readTimes(values, nowMs);
  return omitAbsent<string | string[]>({
    type: values.type,
    status: values.status,
    source_id: values.source,
    receipt_id: values.receipt,
    event_id: values['event-id'],
    endpoint_id: values.endpoint,
    ordering_key: values['ordering-key'],
    trace_id: values.trace,
    received_since: since,
    received_until: until,
    tag: values.tag,
    has: values.has,
  });
}

/** More events than these have nothing in common but a careless sender. */
const most = 50;

/** The events that an identifier from elsewhere names, newest first: it tells by its form what it may be. */
export async function findEvents(api: Pick<Client, 'list'>, identifier: string): Promise<(Event | ErasedEvent)[]> {
  const found = new Map<string, Event | ErasedEvent>();
  for (const parameter of parametersOf(identifier)) {
    const query = queryOf({ order: 'desc', [parameter]: identifier });
    for (const event of await api.list('GET /v1/events', most, { query })) found.set(event.id, event);
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
}

const parametersOf = (identifier: string): string[] => [
  ...(/^rcp_[0-9a-z]{26}$/.test(identifier) ? ['receipt_id'] : []),
  ...(/^[0-9a-f]{32}$/.test(identifier) ? ['trace_id'] : []),
  'event_id',
];
