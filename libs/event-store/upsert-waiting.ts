import { listed } from './columns.ts';
import { unorderedColumns } from './waiting-row.ts';

/**
 * Writes rows of `waiting` for deliveries that are in no order with others: those that are have rows that the dispatcher alone writes. A
 * lower step never changes a row.
 *
 * @param selection a SELECT of the columns of `waiting`, in the order of (tenant, delivery_id), in which everybody locks these rows
 */
export const upsertWaiting = (selection: string): string => `
  INSERT INTO waiting AS known (${listed(unorderedColumns)})
  ${selection}
  ON CONFLICT (tenant, delivery_id) DO UPDATE
     SET state = EXCLUDED.state, due_at = EXCLUDED.due_at, step = EXCLUDED.step,
         attempts = EXCLUDED.attempts, partition = EXCLUDED.partition
   WHERE known.step < EXCLUDED.step`;
