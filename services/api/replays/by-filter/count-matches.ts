import type { ReplayOperation } from '#lib/contract';
import type { MatchTurns } from '#lib/event-filter';
import type { Selection } from '#lib/replay-store';
import type { Clock } from '#lib/runtime';
import type { Store } from '../../resources/resource-table.ts';
import { readSubscribers } from '../subscribers.ts';
import { endOfWindow, findFew, findInWindow, type From, fromTheFirst } from './find-matches.ts';
import { matchingOf, operations } from './operations.ts';

export interface Count {
  /** Deliveries: of an event one for each endpoint. */
  total: number;
  byEndpoint: ReadonlyMap<string, number>;
  byReason: ReadonlyMap<string, number>;
  /** False if the time was up: there are more. */
  isComplete: boolean;
  /** Endpoints whose payload filters are matched later: at most so many. */
  withFilter: ReadonlySet<string>;
}

interface Deps {
  store: Store;
  clock: Pick<Clock, 'monotonicMs'>;
  turns: MatchTurns;
}

/** More are counted window by window. */
const few = 10_000;
/** Clients wait for an answer for half a minute. */
const countsForMs = 20_000;

interface Group {
  endpoint_id: string | null;
  reason: string;
  type: string;
  source_id: string;
  n: number;
}

/** Counts what matches now. */
export async function countMatches(
  { store, clock, turns }: Deps,
  operation: ReplayOperation,
  tenant: string,
  selection: Selection,
): Promise<Count> {
  const endsAtMs = clock.monotonicMs() + countsForMs;
  const matching = await matchingOf(store, operation, tenant, selection);
  const { endpoint, reason } = operations[operation];
  const isToSubscribers = operation === 'replay_events' && selection.endpointId === null;
  const kind = isToSubscribers ? 'type, source_id' : `'' AS type, '' AS source_id`;
  const columns = `${endpoint} AS endpoint_id, ${reason} AS reason, ${kind}`;
  const subscribersOf = isToSubscribers ? await readSubscribers(store, tenant, turns) : undefined;

  let total = 0;
  const byEndpoint = new Map<string, number>();
  const byReason = new Map<string, number>();
  const withFilter = new Set<string>();
  const add = (endpointId: string, { reason: of, n }: Group): void => {
    total += n;
    byEndpoint.set(endpointId, (byEndpoint.get(endpointId) ?? 0) + n);
    byReason.set(of, (byReason.get(of) ?? 0) + n);
  };
  const addGroup = async (group: Group): Promise<void> => {
    if (subscribersOf === undefined) return add(group.endpoint_id ?? selection.endpointId ?? '', group);
    for (const { id, filter } of await subscribersOf(group)) {
      add(id, group);
      if (filter !== null) withFilter.add(id);
    }
  };

  const found = await findFew<Omit<Group, 'n'>>(store, matching, { columns, from: fromTheFirst, max: few });
  if (found !== undefined) {
    for (const row of found) await addGroup({ ...row, n: 1 });
    return { total, byEndpoint, byReason, withFilter, isComplete: true };
  }
  for (let from: From = fromTheFirst; ;) {
    const window = await endOfWindow(store, matching, from);
    if (window === undefined) break;
    const groups = await findInWindow<Group>(store, matching, {
      columns: `${columns}, count(*)::int AS n`,
      from,
      to: window.id,
      rest: 'GROUP BY 1, 2, 3, 4',
    });
    for (const group of groups) await addGroup(group);
    if (window.isLast) break;
    if (clock.monotonicMs() >= endsAtMs) return { total, byEndpoint, byReason, withFilter, isComplete: false };
    from = { id: window.id, isIncluded: false };
  }
  return { total, byEndpoint, byReason, withFilter, isComplete: true };
}
