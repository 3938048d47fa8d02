import type { apiKeys } from './api-keys.ts';
import type { audit } from './audit.ts';
import type { erasures } from './erasures.ts';
import type { limits } from './limits.ts';
import type { portalLinks } from './portal-links.ts';
import type { sessions } from './sessions.ts';
import type { sources } from './sources.ts';
import type { statistics } from './stats.ts';
import type { systemState } from './system.ts';
import type { tenants } from './tenants.ts';

export { type Capability, capabilities, type RouteScope, type Scope, scopes } from './access.ts';
export {
  type ApiKey,
  apiKeys,
  type ApiKeyWithText,
  createApiKey,
  deleteApiKey,
  getApiKey,
  listApiKeys,
} from './api-keys.ts';
export { type AuditAction, auditActions } from './audit-actions.ts';
export { audit, type AuditEntry, listAuditEntries } from './audit.ts';
export { rotateEndpointSecret } from './endpoints.ts';
export { type Erasure, erasures, getErasure, type TenantDeletion } from './erasures.ts';
export { dateTime, displayName, filterText, headerName, identifierPlaces, locator, locators, rateLimit, searchText, secret, wholeNumber } from './fields.ts';
export { type Limit, limits, listLimits } from './limits.ts';
export {
  type Answer,
  type AnswerHeader,
  type AnswerOf,
  type BodyOf,
  type Documentation,
  type Operation,
  type Parameter,
  type ParamsOf,
  type QueryOf,
  type Resource,
  type Tag,
} from './operation.ts';
export { pageQuery } from './paging.ts';
export {
  createPortalLink,
  deletePortalLink,
  getPortalLink,
  listPortalLinks,
  type NewPortalLink,
  type PortalLink,
  portalLinks,
  type RedeemedPortalLink,
  redeemPortalLink,
  usualLinkSeconds,
} from './portal-links.ts';
export * from './schema.ts';
export {
  createSession,
  deleteSession,
  getMe,
  listSessions,
  maxSessionSeconds,
  type Me,
  type NewSession,
  redeemSession,
  type Session,
  sessions,
} from './sessions.ts';
export {
  changedSource,
  createSource,
  deleteSource,
  getSource,
  listSourceRejections,
  listSources,
  type Rejection,
  rotateSourceSecret,
  sampleWebhook,
  type SampleWebhook,
  type Source,
  sources,
  type SourceWithSecret,
  updateSource,
  type Verification,
  verifyWebhook,
} from './sources.ts';
export { sourceSettings } from './source-settings.ts';
export { getStats, maxCounts, maxSteps, statistics, type Stats } from './stats.ts';
export { getSystem, type System, systemState } from './system.ts';
export { tagFilter, tags } from './tags.ts';
export { deleteTenant, getTenant, listTenants, putTenant, type Tenant, tenants } from './tenants.ts';

/** All that the API does. */
export type Operations = (
  | typeof apiKeys
  | typeof audit
  | typeof erasures
  | typeof limits
  | typeof portalLinks
  | typeof sessions
  | typeof sources
  | typeof statistics
  | typeof systemState
  | typeof tenants
)['operations'][number];
