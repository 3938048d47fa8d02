import type { apiKeys } from './api-keys.ts';
import type { audit } from './audit.ts';
import type { deadLettersAndReplays } from './dead-letters.ts';
import type { deliveries } from './deliveries.ts';
import type { endpoints } from './endpoints.ts';
import type { erasures } from './erasures.ts';
import type { eventTypes } from './event-types.ts';
import type { events } from './events.ts';
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
export {
  type DeadLetter,
  type deadLetterFilterQuery,
  deadLettersAndReplays,
  type DeadLetterWithPayload,
  getDeadLetter,
  listDeadLetters,
  replayDeadLetters,
  type ReplayPreview,
} from './dead-letters.ts';
export type { deliveryFilterQuery } from './delivery-filters.ts';
export {
  type Attempt,
  cancelDeliveries,
  cancelDelivery,
  deliveries,
  delivery,
  type Delivery,
  getDelivery,
  listDeliveries,
  listDeliveryAttempts,
  retryDeliveries,
  retryDelivery,
} from './deliveries.ts';
export {
  changedEndpoint,
  type ChangedEndpoint,
  type Endpoint,
  type EndpointWithSecret,
  newEndpoint,
  proxyUrl,
} from './endpoint-settings.ts';
export {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  type EndpointHealth,
  endpoints,
  getEndpoint,
  getEndpointHealth,
  listEndpoints,
  pauseEndpoint,
  probeEndpoint,
  recoverEndpoint,
  resumeEndpoint,
  rotateEndpointSecret,
  testEndpoint,
  type TestResult,
  updateEndpoint,
} from './endpoints.ts';
export {
  createErasure,
  type Erasure,
  type ErasurePreview,
  erasures,
  getErasure,
  type TenantDeletion,
} from './erasures.ts';
export {
  type EventType,
  type EventTypeAlias,
  type EventTypeChange,
  type EventTypeField,
  type EventTypeImport,
  type EventTypeSummary,
  type EventTypeVersion,
  givenEventType,
  type ObservedType,
  type SchemaDifference,
  type TypeLink,
  typeName,
} from './event-type-schemas.ts';
export {
  createEventType,
  eventTypes,
  exportEventTypes,
  getEventType,
  getEventTypeVersion,
  importEventTypes,
  listEventTypeChanges,
  listEventTypes,
  listEventTypeVersions,
  listObservedTypes,
  mergeEventType,
  pauseEventType,
  publishEventTypeVersion,
  putEventType,
  renameEventType,
  resumeEventType,
  retireEventType,
  updateEventType,
} from './event-types.ts';
export {
  type ErasedEvent,
  eraseEvent,
  type Event,
  eventFields,
  events,
  type EventSearch,
  getEvent,
  getEventPayload,
  getEventRequest,
  listEventDeliveries,
  listEventMatching,
  listEventReceipts,
  listEvents,
  publishEvent,
  searchEvents,
} from './events.ts';
export { type EventMatch, type Receipt } from './explained-events.ts';
export {
  dateTime,
  displayName,
  filterText,
  headerName,
  identifierPlaces,
  locator,
  locators,
  rateLimit,
  searchText,
  secret,
  wholeNumber,
} from './fields.ts';
export { type Limit, limits, listLimits } from './limits.ts';
export {
  type Answer,
  type AnswerHeader,
  type AnswerOf,
  type BodyOf,
  type Documentation,
  type Given,
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
export {
  type BulkPreview,
  cancelReplay,
  getReplay,
  listReplayItems,
  listReplays,
  maxBulkItems,
  type Replay,
  replayEvent,
  replayEvents,
  type ReplayItem,
  type ReplayWithFailures,
} from './replays.ts';
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
  | typeof deadLettersAndReplays
  | typeof deliveries
  | typeof endpoints
  | typeof erasures
  | typeof eventTypes
  | typeof events
  | typeof limits
  | typeof portalLinks
  | typeof sessions
  | typeof sources
  | typeof statistics
  | typeof systemState
  | typeof tenants
)['operations'][number];
