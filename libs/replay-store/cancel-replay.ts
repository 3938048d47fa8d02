import type { DeadLetterStatus, ReplayStatus } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { nextItems } from './next-items.ts';
import { endIfDone } from './replay-row.ts';

/** Within the time of one statement. */
const itemsAtOnce = 5_000;

/**
 * Returns items that have not begun; items being sent end first, and the replay with them. It locks the replay's row before its items, as
 * taking items does, so no item is both returned and sent.
 *
 * @returns the status of the replay, undefined if there is none
 */
export async function cancelReplay(tx: Query, tenant: string, id: string): Promise<ReplayStatus | undefined> {
  const [replay] = await tx.query<{ status: ReplayStatus }>(
    'SELECT status FROM replays WHERE tenant = $1 AND id = $2 FOR UPDATE',
    [tenant, id],
  );
  if (replay?.status !== 'running') return replay?.status;
  await tx.query(
    `UPDATE replays SET choosing = 'cancelled', selection = NULL WHERE tenant = $1 AND id = $2 AND choosing = 'open'`,
    [tenant, id],
  );
  for (let after = 0; ;) {
    const range = await nextItems(tx, { tenant, id }, { status: ['waiting'], after, max: itemsAtOnce });
    if (range === undefined) break;
    const items = await tx.query<{ letter_id: string | null; event_id: string | null; endpoint_id: string | null }>(
      `UPDATE replay_items SET status = 'cancelled'
        WHERE tenant = $1 AND replay_id = $2 AND item BETWEEN $3 AND $4 AND status = 'waiting'
        RETURNING letter_id, event_id, endpoint_id`,
      [tenant, id, range.first, range.last],
    );
    await setDeadLetters(tx, tenant, id, 'dead', items);
    after = range.last;
  }
  await endIfDone(tx, tenant, id);
  return replay.status;
}

/** Sets the state of the dead letters that the replay has claimed: by their ids, or with their delivery. */
export async function setDeadLetters(
  tx: Query,
  tenant: string,
  replayId: string,
  status: Exclude<DeadLetterStatus, 'replaying'>,
  items: readonly { letter_id: string | null; event_id: string | null; endpoint_id: string | null }[],
): Promise<void> {
  const set = `UPDATE dead_letters l
                  SET status = $3, replayed_at = CASE WHEN $3 = 'replayed' THEN clock_timestamp() END`;
  const claimed = `l.tenant = $1 AND l.replay_id = $2 AND l.status = 'replaying'`;
  const named = items.flatMap(({ letter_id }) => letter_id ?? []);
  if (named.length > 0)
    await tx.query(`${set} WHERE ${claimed} AND l.id = ANY ($4::text[])`, [tenant, replayId, status, named]);
  const deliveries = items.filter(({ letter_id }) => letter_id === null);
  if (deliveries.length > 0)
    await tx.query(
      `${set} FROM unnest($4::text[], $5::text[]) AS d (event_id, endpoint_id)
        WHERE ${claimed} AND l.event_id = d.event_id AND l.endpoint_id = d.endpoint_id`,
      [
        tenant,
        replayId,
        status,
        deliveries.map(({ event_id }) => event_id),
        deliveries.map(({ endpoint_id }) => endpoint_id),
      ],
    );
}
