import type { MatchTurns, UnjudgedFilters } from '#lib/event-filter';
import { sqlStatus } from '#lib/event-store';
import type { Choice, ChosenPage, UnchosenReplay } from '#lib/replay-store';
import type { Store } from '../../resources/resource-table.ts';
import { type EventKind, type EventPayload, readSubscribers, takersAmong } from '../subscribers.ts';
import { endOfWindow, findFew, findInWindow, type From, fromTheFirst } from './find-matches.ts';
import { matchingOf } from './operations.ts';

export interface ChoosingDeps {
  store: Store;
  turns: MatchTurns;
  unjudgedFilters: Pick<UnjudgedFilters, 'note'>;
}

/** Finds the next choices of a replay. */
export type ChoosePage = (replay: UnchosenReplay) => Promise<ChosenPage>;

/** A transaction of so many items takes some ten milliseconds; whoever works the replay off waits for it. */
const pageItems = 1_000;
/** A page of events whose payloads are read to be matched takes long enough. */
const pageEvents = 1_000;

/** One for a turn at a replay: the endpoints are read once. */
export function createChoosePage(deps: ChoosingDeps): ChoosePage {
  let subscribers: ReturnType<typeof readSubscribers> | undefined;

  return async (replay) => {
    const { tenant, operation, selection, position, room } = replay;
    // One more, where there is no room left, tells that the limit has cut it.
    const max = Math.max(1, Math.min(pageItems, room));
    const rows = await nextRows(deps.store, replay);
    const choices: Choice[] = [];
    let reached: { id: string; endpointId?: string } | undefined;
    const cut = (): ChosenPage => ({
      choices: room === 0 ? [] : choices,
      position: { id: '', isWide: rows.isWide, ...reached },
      isLast: false,
      isCapped: room === 0,
    });
    if (operation === 'replay_events') {
      for (const event of rows.found as EventFound[]) {
        const doneTo = event.id === position?.id ? (position.endpointId ?? '') : '';
        const endpointIds =
          selection.endpointId === null
            ? await takersOf(deps, tenant, event, (subscribers ??= readSubscribers(deps.store, tenant, deps.turns)))
            : [selection.endpointId];
        for (const endpointId of endpointIds.filter((id) => id > doneTo)) {
          if (choices.length === max) return cut();
          choices.push({ kind: 'pair', eventId: event.id, endpointId });
          reached = { id: event.id, endpointId };
        }
        reached = { id: event.id };
      }
    } else
      for (const delivery of rows.found as DeliveryFound[]) {
        if (choices.length === max) return cut();
        choices.push(choiceOf(delivery));
        reached = { id: delivery.id };
      }
    const to = rows.to ?? reached?.id ?? position?.id ?? '';
    return {
      choices: room === 0 ? [] : choices,
      position: { id: to, isWide: rows.isWide },
      isLast: rows.isLast,
      isCapped: room === 0 && choices.length > 0,
    };
  };
}

interface EventFound extends EventKind {
  id: string;
}

interface DeliveryFound {
  id: string;
  event_id: string;
  endpoint_id: string;
  generation: number;
  is_dead: boolean;
}

const choiceOf = ({ id, event_id: eventId, endpoint_id: endpointId, generation, is_dead }: DeliveryFound): Choice =>
  is_dead ? { kind: 'dead delivery', id } : { kind: 'delivery', id, eventId, endpointId, generation };

interface Found {
  found: (EventFound | DeliveryFound)[];
  /** All up to here has been looked at; undefined: up to the last that was found. */
  to: string | undefined;
  isLast: boolean;
  isWide: boolean;
}

/** The next that match, in the order of their ids. */
async function nextRows(store: Store, { operation, tenant, selection, position }: UnchosenReplay): Promise<Found> {
  const matching = await matchingOf(store, operation, tenant, selection);
  const columns =
    operation === 'replay_events'
      ? 'id, type, source_id'
      : `d.id, d.event_id, d.endpoint_id, d.generation, d.status = ${sqlStatus('dead_lettered')} AS is_dead`;
  const from: From =
    position === null ? fromTheFirst : { id: position.id, isIncluded: position.endpointId !== undefined };
  if (position?.isWide !== true) {
    const few = await findFew<EventFound | DeliveryFound>(store, matching, { columns, from, max: pageEvents });
    if (few !== undefined)
      return { found: few.sort((a, b) => (a.id < b.id ? -1 : 1)), to: undefined, isLast: true, isWide: false };
  }
  const window = await endOfWindow(store, matching, from);
  if (window === undefined) return { found: [], to: undefined, isLast: true, isWide: true };
  const found = await findInWindow<EventFound | DeliveryFound>(store, matching, {
    columns,
    from,
    to: window.id,
    rest: `ORDER BY id LIMIT ${pageEvents}`,
  });
  const isCut = found.length === pageEvents;
  return { found, to: isCut ? undefined : window.id, isLast: window.isLast && !isCut, isWide: true };
}

/** Endpoints that get the event today, in the order of their ids: matched as fan-out does it, and within the same bounds. */
async function takersOf(
  { store, turns, unjudgedFilters }: ChoosingDeps,
  tenant: string,
  event: EventFound,
  subscribersOf: ReturnType<typeof readSubscribers>,
): Promise<string[]> {
  const candidates = await (await subscribersOf)(event);
  if (candidates.every(({ filter }) => filter === null)) return candidates.map(({ id }) => id);
  const payload = await payloadOf(store, tenant, event.id);
  // Sent without a look, it fails with the reason.
  if (payload === undefined) return candidates.map(({ id }) => id);
  const takers = await takersAmong(candidates, tenant, payload, turns);
  unjudgedFilters.note({ tenant, eventId: event.id }, takers);
  return takers.map(({ candidate }) => candidate.id);
}

async function payloadOf(store: Store, tenant: string, eventId: string): Promise<EventPayload | undefined> {
  const [row] = await store.query<EventPayload>(
    `SELECT p.body, p.content_type, p.content_encoding
       FROM events e JOIN event_payloads p ON p.tenant = e.tenant AND p.event_id = e.id AND p.received_at = e.received_at
      WHERE e.tenant = $1 AND e.id = $2`,
    [tenant, eventId],
  );
  return row;
}
