/** The item is still to be sent, as the index `replay_items_open` has it. All states are in libs/contract/replay-states.ts. */
export const openItemStatuses = ['waiting', 'sending'] as const;
export type OpenItemStatus = (typeof openItemStatuses)[number];

/** A condition on the column `status`: constants, since with parameters Postgres may not use a partial index. */
export const isItem = (column: string, statuses: readonly OpenItemStatus[]): string =>
  `${column} IN (${statuses.map((status) => `'${status}'`).join(', ')})`;
