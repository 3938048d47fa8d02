export {
  createTenantLimits,
  LimitReached,
  noLimitSettings,
  parseLimitSettings,
  type TenantLimits,
  tenantLimitsField,
} from './tenant-limits.ts';
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
export { createSharedPlaces, type SharedPlaces } from './shared-places.ts';
export { createTenantUsage, tenancyMetrics, type TenantUsage } from './usage.ts';
