export { addDropped, createDroppedRecords, type DroppedRecords } from './dropped-records.ts';
export { erasedEventKey, erasedKey, findErased, findErasedByKey } from './erased-among.ts';
export { createErasedEvents, type ErasedEvents, type FollowedErasures, recentMs } from './erased-events.ts';
export { ifDeleted, markEvents, TenantDeleted } from './mark-events.ts';
export { addRemoved, type RemovedRows, removeEventData } from './remove-event-data.ts';
export { forgetTenant, removedTables, removeTenantPage } from './remove-tenant-data.ts';
export { removeWaiting } from './remove-waiting.ts';
export { burying, columnsOf, tenantTableNames, tenantTables } from './tenant-data.ts';
