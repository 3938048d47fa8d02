import type { Api } from '../../api-calls/connect.ts';
import type { Event } from './event-view.ts';

/** More events than these have nothing in common but a careless sender. */
const most = 50;

/** The events that an identifier from elsewhere names, newest first: it tells by its form what it may be. */
export async function findEvents(api: Pick<Api, 'list'>, identifier: string): Promise<Event[]> {
  const found = new Map<string, Event>();
  for (const parameter of parametersOf(identifier)) {
    const query = new URLSearchParams({ order: 'desc', [parameter]: identifier });
    for (const event of await api.list<Event>(`/events?${query.toString()}`, most)) found.set(event.id, event);
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
}

const parametersOf = (identifier: string): string[] => [
  ...(/^rcp_[0-9a-z]{26}$/.test(identifier) ? ['receipt_id'] : []),
  ...(/^[0-9a-f]{32}$/.test(identifier) ? ['trace_id'] : []),
  'event_id',
];
