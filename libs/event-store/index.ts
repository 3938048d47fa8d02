export { columnNames, type Columns, listed, type RowOf, unnested } from './columns.ts';
export {
  arrivedColumns,
  deliveryColumns,
  deliveryCountColumns,
  eventColumns,
  lastAttemptColumns,
  payloadColumns,
  receiptColumns,
} from './tables.ts';
export { dueNow, type StoredWaitingRow, type UnorderedWaitingRow, waitingColumns } from './waiting-row.ts';
export { encode, type EventRef, run, send, type Statement } from './statement.ts';
export { changesChannel, reservedInstants, takeClocks } from './take-clocks.ts';
export {
  announceAwaited,
  awaitedAgainMs,
  awaitedChannel,
  awaitedForMs,
  awaitedRows,
  everyTenant,
} from './awaited-tenants.ts';
export { takeFreeClocks } from './take-free-clocks.ts';
export { findLostWaiting, type RestoredRow, restoreWaiting } from './restore-waiting.ts';
export {
  eventHasEnded,
  hasEnded,
  hasNotEnded,
  isNotErased,
  isOpen,
  sqlStatus,
  sqlStatuses,
  waits,
} from './status-conditions.ts';
export { upsertWaiting } from './upsert-waiting.ts';
export {
  type GrownKey,
  insertEvents,
  insertEventsFrom,
  newEventColumns,
  ownReceipts,
  ownTags,
} from './insert-events.ts';
export {
  addRejectedStats,
  addStats,
  type CountedSeries,
  countedSeries,
  type RejectedStatRow,
  type StatRow,
} from './add-stats.ts';
export { type EarlyStatRow, insertEarlyStats, takeEarlyStats } from './early-stats.ts';
