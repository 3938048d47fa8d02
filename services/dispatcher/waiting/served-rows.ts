/**
 * Sent rows of `waiting`: their deliveries have ended, or wait at a later step. They are removed before the table is read again. Those that
 * somebody else has locked stay here, and take room from their tenant alone; while Postgres is away all stay. There are no more of them than
 * places for rows in the lanes.
 */
import { deliveryKey, type RowJob } from '../model/job.ts';
import type { RowRef } from '../model/waiting-row.ts';
import type { WaitingTable } from './waiting-table.ts';

export interface ServedRows {
  /** The outcome of a delivery that was read from its row is durable. */
  add(job: RowJob): void;
  addRow(row: ServedRow): void;
  count(): number;
  /** The rows that stand in the table still. */
  rows(): readonly { tenant: string; deliveryId: string }[];
  /** All but those that are locked. @throws AppError store_unavailable: they stay */
  remove(): Promise<void>;
}

/** @returns those that stay because they are locked */
export interface RemovesRows {
  remove(rows: readonly RowRef[]): Promise<readonly RowRef[]>;
}

type ServedRow = Omit<RowRef, 'order'> & Pick<RowJob, 'order'>;

interface Deps {
  table: Pick<WaitingTable, 'remove'>;
  orderedRows: RemovesRows;
}

export function createServedRows({ table, orderedRows }: Deps): ServedRows {
  const served = new Map<string, ServedRow>();

  function addRow({ tenant, deliveryId, endpointId, step, order }: ServedRow): void {
    served.set(deliveryKey({ tenant, id: deliveryId }), { tenant, deliveryId, endpointId, step, order });
  }

  return {
    add: ({ delivery: { tenant, id, endpointId }, order, step }) =>
      addRow({ tenant, deliveryId: id, endpointId, order, step: step - 1 }),
    addRow,
    count: () => served.size,
    rows: () => [...served.values()],
    async remove() {
      const rows = [...served];
      if (rows.length === 0) return;
      const inOrder = rows.flatMap(([, { order, ...row }]) => (order === undefined ? [] : [{ ...row, order }]));
      const others = rows.flatMap(([, row]) => (row.order === undefined ? [row] : []));
      const left = [
        ...(inOrder.length > 0 ? await orderedRows.remove(inOrder) : []),
        ...(others.length > 0 ? await table.remove(others) : []),
      ];
      const isLeft = new Set(left.map(({ tenant, deliveryId }) => deliveryKey({ tenant, id: deliveryId })));
      // One that was done again meanwhile, at a later step, stays to be removed.
      for (const [key, row] of rows) if (served.get(key) === row && !isLeft.has(key)) served.delete(key);
    },
  };
}
