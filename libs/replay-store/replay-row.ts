import type { ReplayOperation, ReplayOutcome, ReplayStatus, ShownReplayStatus } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { anEarlierOne } from './lease-replays.ts';

export interface ReplayRow {
  id: string;
  status: ShownReplayStatus;
  operation: ReplayOperation | null;
  request: Record<string, unknown>;
  rate_per_second: number | null;
  matched: number;
  left_out: number;
  replayed: number;
  failed: number;
  /** Null: it was sent by a version that did not follow its deliveries. */
  outcome: Readonly<Record<ReplayOutcome, number>> | null;
  created_at: string;
  sent_at: string | null;
  ended_at: string | null;
}

/** Columns of `replays`, for statements that call it by its own name. */
export const replayColumns = `
  id, CASE WHEN status = 'running' AND operation IS NOT NULL AND EXISTS (${anEarlierOne('replays')})
           THEN 'queued' ELSE status END AS status,
  operation, request, rate_per_second, matched, left_out, replayed, failed, created_at, sent_at, ended_at,
  CASE WHEN sent_at IS NOT NULL OR ended_at IS NULL
       THEN json_build_object('delivered', delivered, 'waiting', followed - delivered - dead_lettered - cancelled,
                              'dead_lettered', dead_lettered, 'cancelled', cancelled) END AS outcome`;

/** A condition on a replay that was sent, by its counts. */
const hasOpenDeliveries = '(followed > delivered + dead_lettered + cancelled)';
/** The status of a replay that was not cancelled, once its deliveries have ended. */
export const statusAtTheEnd = `CASE WHEN capped THEN 'partial' ELSE 'completed' END`;

export interface NewReplay {
  tenant: string;
  id: string;
  /** The filter as requested, to be shown. */
  request: Readonly<Record<string, unknown>>;
  ratePerSecond: number | null;
  /** RFC 3339. */
  createdAt: string;
}

/** Call it after inserting the items: without any, the replay ends at once. */
export async function insertReplay(
  tx: Query,
  { tenant, id, request, ratePerSecond, createdAt }: NewReplay,
  { matched, capped }: { matched: number; capped: boolean },
): Promise<ReplayRow> {
  const [row] = await tx.query<ReplayRow>(
    `INSERT INTO replays (tenant, id, request, rate_per_second, status, matched, capped, created_at, sent_at, ended_at)
     VALUES ($1, $2, $3, $4, CASE WHEN $5 = 0 THEN 'completed' ELSE 'running' END, $5, $6, $7::timestamptz,
             CASE WHEN $5 = 0 THEN $7::timestamptz END, CASE WHEN $5 = 0 THEN $7::timestamptz END)
     RETURNING ${replayColumns}`,
    [tenant, id, JSON.stringify(request), ratePerSecond, matched, capped, createdAt],
  );
  return row as ReplayRow;
}

/**
 * Takes the replay for sent if none of its items is open, and no more are chosen; it has ended as well if none of its deliveries is open.
 * Its row must be locked.
 */
export async function endIfDone(tx: Query, tenant: string, id: string): Promise<ReplayStatus | undefined> {
  const [ended] = await tx.query<{ status: ReplayStatus }>(
    `UPDATE replays r
        SET status = CASE WHEN replayed + failed < matched OR choosing = 'cancelled' THEN 'cancelled'
                          WHEN ${hasOpenDeliveries} THEN 'sent'
                          ELSE ${statusAtTheEnd}
                     END,
            sent_at = clock_timestamp(),
            ended_at = CASE WHEN replayed + failed < matched OR choosing = 'cancelled' OR NOT ${hasOpenDeliveries}
                            THEN clock_timestamp() END,
            lease_owner = NULL, lease_until = NULL
      WHERE tenant = $1 AND id = $2 AND status = 'running' AND choosing IS DISTINCT FROM 'open'
        AND NOT EXISTS (SELECT FROM replay_items i
                         WHERE i.tenant = r.tenant AND i.replay_id = r.id AND ${isItem('i.status', openItemStatuses)})
      RETURNING status`,
    [tenant, id],
  );
  return ended?.status;
}

/** The item is still to be sent, as the index `replay_items_open` has it. All states are in libs/contract/replay-states.ts. */
export const openItemStatuses = ['waiting', 'sending'] as const;
export type OpenItemStatus = (typeof openItemStatuses)[number];

/** A condition on the column `status`: constants, since with parameters Postgres may not use a partial index. */
export const isItem = (column: string, statuses: readonly OpenItemStatus[]): string =>
  `${column} IN (${statuses.map((status) => `'${status}'`).join(', ')})`;
