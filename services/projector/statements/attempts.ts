import { sendColumns, timingColumns } from '#lib/contract';
import { columnNames, type Columns, isNotErased, listed, type RowOf, type Statement, unnested } from '#lib/event-store';

const columns = {
  tenant: 'text',
  delivery_id: 'text',
  event_id: 'text',
  step: 'int',
  attempt: 'int',
  at: 'timestamptz',
  /** Decides which partition of `attempts` the delivery's rows are in: the same in each of its records. */
  delivery_at: 'timestamptz',
  detail: 'text?',
  ...sendColumns,
  ...timingColumns,
} as const satisfies Columns;

export type AttemptRow = RowOf<typeof columns>;

/** Every send, once, whatever becomes of its delivery, unless its event was erased. */
export const insertAttempts: Statement<AttemptRow> = {
  name: 'insert-attempts',
  columns: columnNames(columns),
  text: `
    INSERT INTO attempts (${listed(columns)})
    SELECT *
      FROM ${unnested(columns, 't')}
     WHERE ${isNotErased('t.tenant', 't.event_id')}
    ON CONFLICT (tenant, delivery_id, step, delivery_at) DO NOTHING`,
};
