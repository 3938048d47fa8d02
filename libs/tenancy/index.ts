export { LimitReached } from './limit-reached.ts';
export type { OtherLimit, OtherLimits } from './other-limits.ts';
export {
  type LimitDefinition,
  type LimitName,
  limitNames,
  limitTable,
  tenantLimitRaisedBy,
  type Used,
  usedWords,
} from './limit-table.ts';
export { createSetAside, type SetAsideLimits } from './set-aside.ts';
export { type ShareDefinition, type ShareName, shareTable } from './share-table.ts';
export { createSharedRoom, type SharedRoom } from './shared-room.ts';
export { tenantLimitsField } from './limits-field.ts';
export { createSharedPlaces, type SharedPlaces } from './shared-places.ts';
export { createTenantLimits, noLimitSettings, parseLimitSettings, type TenantLimits } from './tenant-limits.ts';
export { createTenantUsage, tenancyMetrics, type TenantUsage } from './usage.ts';
