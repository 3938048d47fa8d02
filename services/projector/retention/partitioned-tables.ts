import type { Owner } from './open-work.ts';

/** A table with a partition for each day. */
export interface PartitionedTable {
  name: 'event_payloads' | 'attempts';
  /** A column that never changes and says which partition a row is in. */
  time: string;
  /** The table's unique columns, `time` left out. */
  key: readonly { column: string; type: 'text' | 'integer' }[];
  /** The event or delivery that a row belongs to. */
  owner: Owner;
}

export const partitionedTables: readonly PartitionedTable[] = [
  {
    name: 'event_payloads',
    time: 'received_at',
    key: [
      { column: 'tenant', type: 'text' },
      { column: 'event_id', type: 'text' },
    ],
    owner: { kind: 'event', column: 'event_id' },
  },
  {
    name: 'attempts',
    time: 'delivery_at',
    key: [
      { column: 'tenant', type: 'text' },
      { column: 'delivery_id', type: 'text' },
      { column: 'step', type: 'integer' },
    ],
    owner: { kind: 'delivery', column: 'delivery_id' },
  },
];
