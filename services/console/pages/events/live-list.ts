import { html, type Html } from '#lib/html';
import { withQuery } from '../../api-calls/paths.ts';
import { table } from '../../parts/table.ts';
import type { Event } from '../../routes/events/event.ts';
import { eventColumns, eventHref } from './event-rows.ts';
import type { Source } from './source-names.ts';

interface LiveList {
  t: string;
  events: readonly Event[];
  /** Undefined: they are not told of. */
  sources: readonly Source[] | undefined;
  /** Where changes go on from. Undefined: the page does not follow them, for it is not the newest. */
  cursor: string | undefined;
  filters: URLSearchParams;
  /** New events come onto the page without being asked for. */
  isFollowing: boolean;
  /** There are older events, which this page does not show. */
  hasOlder: boolean;
}

/**
 * The rows, and what islands/live-events.ts needs to add to them. Without a script it is the table alone. An empty list has its table too, not
 * shown, for the first event that comes.
 */
export function liveList({ t, events, sources, cursor, filters, isFollowing, hasOlder }: LiveList): Html {
  const rows = table({ caption: 'Events', columns: eventColumns(sources), rows: events, href: eventHref(t) });
  if (cursor === undefined) return rows;
  const list = `${t}/events`;
  const other = new URLSearchParams(filters);
  if (!isFollowing) other.set('live', '1');
  return html`<live-events data-from="${withQuery(`${t}/live/events`, filters)}" data-cursor="${cursor}"${isFollowing && html` data-follows`}${hasOlder && html` data-has-older`}>
<div class="live-bar" hidden><span role="status"></span><button type="button" class="live-new" hidden></button><a class="live-switch" data-key="l" href="${withQuery(list, other)}">${isFollowing ? 'Stop following' : 'Follow'}</a></div>
<div class="live-rows"${events.length === 0 && html` hidden`}>${rows}</div></live-events>`;
}
