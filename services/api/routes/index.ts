import { apiKeyRoutes, meRoutes, portalLinkRoutes, sessionRoutes } from '../access/index.ts';
import { auditRoutes } from '../audit/index.ts';
import { erasureRoutes } from '../erasures/index.ts';
import { limitRoutes } from '../limits/routes.ts';
import { sourceRoutes } from '../sources/index.ts';
import { statRoutes, systemRoutes } from '../stats/index.ts';
import { tenantRoutes } from '../tenants/index.ts';
import type { Route } from '../route.ts';
import { cancelDeliveries } from './cancel-deliveries.ts';
import { cancelDelivery } from './cancel-delivery.ts';
import { cancelReplay } from './cancel-replay.ts';
import { createEndpoint } from './create-endpoint.ts';
import { createEventType } from './create-event-type.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { deleteEvent } from './delete-event.ts';
import { disableEndpoint } from './disable-endpoint.ts';
import { enableEndpoint } from './enable-endpoint.ts';
import { exportEventTypes } from './export-event-types.ts';
import { getDeadLetter } from './get-dead-letter.ts';
import { getDelivery } from './get-delivery.ts';
import { getEndpointHealth } from './get-endpoint-health.ts';
import { getEndpoint } from './get-endpoint.ts';
import { getEventPayload } from './get-event-payload.ts';
import { getEventRequest } from './get-event-request.ts';
import { getEventTypeVersion } from './get-event-type-version.ts';
import { getEventType } from './get-event-type.ts';
import { getEvent } from './get-event.ts';
import { getReplay } from './get-replay.ts';
import { importEventTypes } from './import-event-types.ts';
import { listDeadLetters } from './list-dead-letters.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listDeliveryAttempts } from './list-delivery-attempts.ts';
import { listEndpoints } from './list-endpoints.ts';
import { listEventDeliveries } from './list-event-deliveries.ts';
import { listEventMatching } from './list-event-matching.ts';
import { listEventReceipts } from './list-event-receipts.ts';
import { listEventTypeChanges } from './list-event-type-changes.ts';
import { listEventTypeVersions } from './list-event-type-versions.ts';
import { listEventTypes } from './list-event-types.ts';
import { listEvents } from './list-events.ts';
import { listObservedTypes } from './list-observed-types.ts';
import { listReplayItems } from './list-replay-items.ts';
import { listReplays } from './list-replays.ts';
import { mergeEventType } from './merge-event-type.ts';
import { pauseEndpoint } from './pause-endpoint.ts';
import { pauseEventType } from './pause-event-type.ts';
import { probeEndpoint } from './probe-endpoint.ts';
import { publishEventTypeVersion } from './publish-event-type-version.ts';
import { publishEvent } from './publish-event.ts';
import { putEventType } from './put-event-type.ts';
import { recoverEndpoint } from './recover-endpoint.ts';
import { renameEventType } from './rename-event-type.ts';
import { replayDeadLetters } from './replay-dead-letters.ts';
import { replayEvent } from './replay-event.ts';
import { replayEvents } from './replay-events.ts';
import { resumeEndpoint } from './resume-endpoint.ts';
import { resumeEventType } from './resume-event-type.ts';
import { retireEventType } from './retire-event-type.ts';
import { retryDeliveries } from './retry-deliveries.ts';
import { retryDelivery } from './retry-delivery.ts';
import { rotateSecretOfEndpoint } from './rotate-endpoint-secret.ts';
import { searchEvents } from './search-events.ts';
import { testEndpoint } from './test-endpoint.ts';
import { updateEndpoint } from './update-endpoint.ts';
import { updateEventType } from './update-event-type.ts';

/** Every route but those of the documentation. All but the public ones need a key. */
export const routes: readonly Route[] = [
  ...sourceRoutes,
  createEndpoint,
  listEndpoints,
  getEndpoint,
  updateEndpoint,
  deleteEndpoint,
  rotateSecretOfEndpoint,
  disableEndpoint,
  enableEndpoint,
  pauseEndpoint,
  resumeEndpoint,
  probeEndpoint,
  getEndpointHealth,
  recoverEndpoint,
  testEndpoint,
  publishEvent,
  listEvents,
  searchEvents,
  getEvent,
  deleteEvent,
  getEventPayload,
  getEventRequest,
  listEventDeliveries,
  listEventReceipts,
  listEventMatching,
  listDeliveries,
  getDelivery,
  listDeliveryAttempts,
  retryDelivery,
  cancelDelivery,
  retryDeliveries,
  cancelDeliveries,
  replayEvent,
  replayEvents,
  createEventType,
  listEventTypes,
  listEventTypeChanges,
  listObservedTypes,
  importEventTypes,
  exportEventTypes,
  getEventType,
  putEventType,
  updateEventType,
  retireEventType,
  renameEventType,
  mergeEventType,
  pauseEventType,
  resumeEventType,
  listEventTypeVersions,
  getEventTypeVersion,
  publishEventTypeVersion,
  listDeadLetters,
  getDeadLetter,
  replayDeadLetters,
  listReplays,
  getReplay,
  listReplayItems,
  cancelReplay,
  ...erasureRoutes,
  ...statRoutes,
  ...systemRoutes,
  ...apiKeyRoutes,
  ...sessionRoutes,
  ...portalLinkRoutes,
  ...meRoutes,
  ...limitRoutes,
  ...tenantRoutes,
  ...auditRoutes,
];
