import { type DeliveryStatus, isFinal } from '#lib/contract';
import type {
  OrderedTable,
  OrderedTurn,
  Place,
  QueuedRow,
} from '../../../services/dispatcher/ordered/ordered-table.ts';
import type { DueRow } from '../../../services/dispatcher/waiting/waiting-table.ts';

export interface FakeTables {
  /** By delivery id, as all of them. */
  waiting: Map<string, DueRow>;
  known: ReadonlyMap<string, { step: number; status: DeliveryStatus }>;
  nowMicros(): number;
}

/** The statements of ordered-table.ts, in memory; held to the same conformance suite. */
export function createFakeOrderedTable({ waiting, known, nowMicros }: FakeTables): OrderedTable {
  const ofKey = (endpointId: string, key: string): DueRow[] =>
    [...waiting.values()]
      .filter((row) => row.endpointId === endpointId && row.order?.key === key)
      .sort((a, b) => Number((a.order?.sequence ?? 0n) - (b.order?.sequence ?? 0n)));

  function setDueTimes({ rows, removed }: OrderedTurn): void {
    for (const { endpointId, order } of [...rows, ...removed]) {
      for (const [place, row] of ofKey(endpointId, order.key).entries()) {
        if (place === 0 && row.dueAt === Infinity) waiting.set(row.deliveryId, { ...row, dueAt: nowMicros() });
        if (place > 0 && row.dueAt !== Infinity) waiting.set(row.deliveryId, { ...row, dueAt: Infinity });
      }
    }
  }

  return {
    async apply(change) {
      for (const { deliveryId, step } of change.removed)
        if ((waiting.get(deliveryId)?.step ?? Infinity) <= step) waiting.delete(deliveryId);
      for (const row of change.rows) {
        const before = waiting.get(row.deliveryId);
        if (before === undefined || before.step < row.step)
          waiting.set(row.deliveryId, { ...row, order: before?.order ?? row.order, payloadBytes: 11, ended: false });
      }
      setDueTimes(change);
      for (const { endpointId, partitions } of change.woken)
        for (const row of waiting.values())
          if (
            row.endpointId === endpointId &&
            row.order !== undefined &&
            Number.isFinite(row.dueAt) &&
            partitions.includes(row.partition)
          )
            waiting.set(row.deliveryId, {
              ...row,
              dueAt: Math.min(row.dueAt, Math.max(nowMicros(), row.notBefore ?? 0)),
            });
      const places = change.asked.map(({ id, endpointId, order }): Place => ({
        blocked: ofKey(endpointId, order.key).length > 0,
        known: waiting.has(id) || (known.get(id)?.step ?? 0) > 0,
      }));
      const lines = change.keys.map(({ endpointId, key, rows }) =>
        ofKey(endpointId, key)
          .slice(0, rows)
          .flatMap(({ order, ...row }): QueuedRow[] =>
            order === undefined ? [] : [{ ...row, order, ended: endedIn(known, row.deliveryId) }],
          ),
      );
      return { places, lines };
    },
  };
}

export const endedIn = (known: FakeTables['known'], id: string): boolean => isFinal(known.get(id)?.status ?? 'pending');
