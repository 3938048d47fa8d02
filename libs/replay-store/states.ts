/**
 * A replay:
 *
 *   running ──► completed      every item was sent, or failed
 *          ├──► partial        the same, but more had matched than the limit let in
 *          └──► cancelled      what was not sent by then went back to the dead
 *
 * Its items: waiting ──taken──► sending ──► replayed | failed;  waiting ──► cancelled. An item that is `sending` when its runner dies is
 * sent again by the next, under the same generation.
 *
 * A dead letter: dead ──claimed──► replaying ──► replayed, or dead again where its item failed or was cancelled.
 */
export const replayStatuses = ['running', 'completed', 'partial', 'cancelled'] as const;
export type ReplayStatus = (typeof replayStatuses)[number];

export const deadLetterStatuses = ['dead', 'replaying', 'replayed'] as const;
export type DeadLetterStatus = (typeof deadLetterStatuses)[number];

/** The item is still to be sent, as the index `replay_items_open` has it. */
export const openItemStatuses = ['waiting', 'sending'] as const;
export type OpenItemStatus = (typeof openItemStatuses)[number];

/** A condition on the column `status`: constants, since with parameters Postgres may not use a partial index. */
export const isItem = (column: string, statuses: readonly OpenItemStatus[]): string =>
  `${column} IN (${statuses.map((status) => `'${status}'`).join(', ')})`;
