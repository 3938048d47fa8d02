import type { ReplayOperation } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { type NewReplay, replayColumns, type ReplayRow } from './replay-row.ts';

/** The criteria by which a replay by filter chooses. */
export interface Selection {
  /** Values by the names of the list's filters. */
  filter: Readonly<Record<string, string | readonly string[]>>;
  /** Events go to this endpoint alone. Null: to all that match them. */
  endpointId: string | null;
  /** RFC 3339: nothing later. */
  asOf: string;
  limit: number;
}

export interface FilteredReplay extends NewReplay {
  operation: ReplayOperation;
  selection: Selection;
  /** By the dry run. */
  counted: number;
}

/** A replay whose items are still to be chosen: choose-items.ts. */
export async function createFilteredReplay(tx: Query, replay: FilteredReplay): Promise<ReplayRow> {
  const { tenant, id, request, ratePerSecond, createdAt, operation, selection, counted } = replay;
  const [row] = await tx.query<ReplayRow>(
    `INSERT INTO replays (tenant, id, request, rate_per_second, status, matched, capped, created_at,
                          operation, selection, choosing, turn_at, next_turn_at)
     VALUES ($1, $2, $3, $4, 'running', $5, false, $6::timestamptz, $7, $8, 'open', 'infinity', '-infinity')
     RETURNING ${replayColumns}`,
    [tenant, id, JSON.stringify(request), ratePerSecond, counted, createdAt, operation, JSON.stringify(selection)],
  );
  return row as ReplayRow;
}
