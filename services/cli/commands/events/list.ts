import { systemClock } from '#lib/clock';
import { connect, tenantHelp } from '../../connect.ts';
import { omitAbsent, readOptions, readWholeNumber } from '../../options.ts';
import { print, table } from '../../output.ts';
import { type Event, eventColumns, eventRow } from './event-view.ts';
import { filterHelp, filterOf, filterOptions } from './filter-options.ts';

export const help = `usage: hookline events list [options]

The events in the order in which they have changed, those first whose last change is the oldest.

${filterHelp}
  --receipt ID                 the event that a webhook became which was answered with this receipt (rcp_…)
  --limit N                    at most so many (default: 50)
${tenantHelp('events')}`;

const options = { ...filterOptions, receipt: { type: 'string' }, limit: { type: 'string' } } as const;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, options);
  const limit = readWholeNumber('limit', values.limit, { min: 1, max: 1_000_000, otherwise: 50 });
  const query = new URLSearchParams({
    ...filterOf(values, systemClock.nowMs()),
    ...omitAbsent({ receipt_id: values.receipt }),
  });
  const events = await connect(values.tenant).list<Event>(`/events?${query.toString()}`, limit);
  print(events, values.json, (shown) => table(shown.map(eventRow), eventColumns));
  return 0;
}
