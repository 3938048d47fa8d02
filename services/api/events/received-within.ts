import { idRange, microsOf } from '#lib/runtime';
import type { Bind } from '../http/filters.ts';
import { mostClockSkewMs } from '../resources/ids.ts';
import type { EventFilter } from './filters.ts';

type ReceivedFilter = Pick<EventFilter, 'received_since' | 'received_until'>;

/** The ids of events of that time: an event's id has the millisecond of its receipt. */
export const receivedIds = ({ received_since, received_until }: ReceivedFilter): ReturnType<typeof idRange> =>
  idRange('evt', {
    ...(received_since !== undefined && { sinceMs: microsOf(received_since) / 1_000 }),
    ...(received_until !== undefined && { untilMs: microsOf(received_until) / 1_000 }),
  });

/**
 * Conditions that the filter implies on the columns that events are found and sorted by: a poll needn't read from the first change on. An event
 * changes after its receipt, by clocks that may differ.
 */
export function receivedWithin(filter: ReceivedFilter, bind: Bind): string[] {
  const { above, below } = receivedIds(filter);
  const { received_since: since } = filter;
  return [
    ...(above === undefined ? [] : [`id > ${bind(above)}`]),
    ...(below === undefined ? [] : [`id < ${bind(below)}`]),
    ...(since === undefined
      ? []
      : [`updated_at >= ${bind(since)}::timestamptz - interval '${mostClockSkewMs} milliseconds'`]),
  ];
}
