import { apiKeys } from './api-keys.ts';
import { audit } from './audit.ts';
import { deadLettersAndReplays } from './dead-letters.ts';
import { deliveries } from './deliveries.ts';
import { documentation } from './documentation.ts';
import { endpoints } from './endpoints.ts';
import { erasures } from './erasures.ts';
import { eventTypes } from './event-types.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import type { Operation } from './operation.ts';
import { portalLinks } from './portal-links.ts';
import { sessions } from './sessions.ts';
import { sources } from './sources.ts';
import { statistics } from './stats.ts';
import { systemState } from './system.ts';
import { tenants } from './tenants.ts';

export { type Capability, capabilities, type RouteScope, type Scope, scopes } from './access.ts';
export { type ApiKey, createApiKey, deleteApiKey, getApiKey, listApiKeys } from './api-keys.ts';
export { auditActions } from './audit-actions.ts';
export { type AuditEntry, listAuditEntries } from './audit.ts';
export {
  type DeadLetter,
  type deadLetterFilterQuery,
  type DeadLetterWithPayload,
  getDeadLetter,
  listDeadLetters,
  replayDeadLetters,
  type ReplayPreview,
} from './dead-letters.ts';
export {
  type Attempt,
  cancelDeliveries,
  cancelDelivery,
  delivery,
  type Delivery,
  type deliveryFilterQuery,
  getDelivery,
  listDeliveries,
  listDeliveryAttempts,
  retryDeliveries,
  retryDelivery,
} from './deliveries.ts';
export { getDocs, getOpenApi, getOpenApiOfVersion } from './documentation.ts';
export { changedEndpoint, type ChangedEndpoint, type Endpoint, newEndpoint, proxyUrl } from './endpoint-settings.ts';
export {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  type EndpointHealth,
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
export { createErasure, type Erasure, type ErasurePreview, getErasure, type TenantDeletion } from './erasures.ts';
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
  type EventRequest,
  type EventWithPayload,
  eventFields,
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
export { type Limit, listLimits } from './limits.ts';
export {
  type Access,
  type Answer,
  type AnswerHeader,
  type AnswerOf,
  type BodyOf,
  type Given,
  type Operation,
  type Parameter,
  type ParamsOf,
  type QueryOf,
} from './operation.ts';
export {
  createPortalLink,
  deletePortalLink,
  getPortalLink,
  listPortalLinks,
  type PortalLink,
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
  redeemSession,
  type Session,
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
  type Source,
  updateSource,
  type Verification,
  verifyWebhook,
} from './sources.ts';
export { sourceSettings } from './source-settings.ts';
export { getStats, maxCounts, maxSteps, type Stats } from './stats.ts';
export { getSystem, type System } from './system.ts';
export { deleteTenant, getTenant, listTenants, putTenant, type Tenant } from './tenants.ts';

/** All kinds of resources, in the order of the document. */
export const resources = [
  sources,
  endpoints,
  events,
  eventTypes,
  deliveries,
  deadLettersAndReplays,
  erasures,
  statistics,
  systemState,
  apiKeys,
  sessions,
  portalLinks,
  limits,
  tenants,
  audit,
  documentation,
] as const;

/** All that the API does. */
export type Operations = ValueOf<(typeof resources)[number]['operations']>;
type ValueOf<T> = T extends unknown ? T[keyof T] : never;

/** The name of each operation. */
export const operationIds: ReadonlyMap<Operation, string> = new Map(
  resources.flatMap(({ operations }) =>
    Object.entries<Operation>(operations).map(([id, operation]): [Operation, string] => [operation, id]),
  ),
);
