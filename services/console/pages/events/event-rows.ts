import { html, type Html } from '#lib/html';
import { count } from '../../parts/count.ts';
import { shortId } from '../../parts/short-id.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import type { Column } from '../../parts/table.ts';
import { time } from '../../parts/time.ts';
import { type Event, isErased, type LiveEvent } from '../../routes/events/event.ts';
import { type Source, sourceName } from './source-names.ts';

/** The columns of lists of events. A script finds the event of a row by its link. @param sources undefined: they are not told of */
export const eventColumns = (sources: readonly Source[] | undefined): readonly Column<Event>[] => [
  { header: 'Received', cell: ({ received_at }) => time(received_at) },
  { header: 'Type', cell: unlessErased(({ type }) => html`<bdi class="event-type">${type}</bdi>`) },
  { header: 'Status', cell: ({ status }) => statusBadge(status) },
  { header: 'Delivered', cell: unlessErased(delivered) },
  ...(sources === undefined
    ? []
    : [{ header: 'Source', cell: unlessErased(({ source_id }) => sourceName(source_id, sources)) }]),
  { header: 'Duplicates', cell: unlessErased(duplicates) },
  { header: 'Id', cell: ({ id }) => shortId(id) },
];

export const eventHref =
  (t: string) =>
  ({ id }: Pick<Event, 'id'>): string =>
    `${t}/events/${encodeURIComponent(id)}`;

const unlessErased = (cell: (event: LiveEvent) => Html | string) => (event: Event) =>
  isErased(event) ? '–' : cell(event);

function delivered({ deliveries, status }: LiveEvent): string {
  const all = Object.values(deliveries).reduce((sum, some) => sum + some, 0);
  if (all === 0) return status === 'received' ? '–' : 'no endpoint';
  return `${deliveries.delivered} of ${all}`;
}

function duplicates({ duplicates: all, duplicates_changed: changed }: LiveEvent): string {
  if (all === 0) return '–';
  return changed === 0 ? count(all) : `${count(all)}, ${changed === all ? '' : `${count(changed)} `}changed`;
}
