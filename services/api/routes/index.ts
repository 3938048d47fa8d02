import type { Route } from '../route.ts';
import { cancelDeliveries } from './cancel-deliveries.ts';
import { cancelDelivery } from './cancel-delivery.ts';
import { cancelReplay } from './cancel-replay.ts';
import { createApiKey } from './create-api-key.ts';
import { createErasure } from './create-erasure.ts';
import { createEndpoint } from './create-endpoint.ts';
import { createSession } from './create-session.ts';
import { createSource } from './create-source.ts';
import { deleteApiKey } from './delete-api-key.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { deleteSession } from './delete-session.ts';
import { deleteEvent } from './delete-event.ts';
import { deleteSource } from './delete-source.ts';
import { deleteTenant } from './delete-tenant.ts';
import { disableEndpoint } from './disable-endpoint.ts';
import { enableEndpoint } from './enable-endpoint.ts';
import { getApiKey } from './get-api-key.ts';
import { getDeadLetter } from './get-dead-letter.ts';
import { getDelivery } from './get-delivery.ts';
import { getEndpointHealth } from './get-endpoint-health.ts';
import { getEndpoint } from './get-endpoint.ts';
import { getErasure } from './get-erasure.ts';
import { getEventPayload } from './get-event-payload.ts';
import { getEventRequest } from './get-event-request.ts';
import { getEvent } from './get-event.ts';
import { getMe } from './get-me.ts';
import { getReplay } from './get-replay.ts';
import { getSource } from './get-source.ts';
import { getStats } from './get-stats.ts';
import { getSystem } from './get-system.ts';
import { listApiKeys } from './list-api-keys.ts';
import { listAudit } from './list-audit.ts';
import { listDeadLetters } from './list-dead-letters.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listDeliveryAttempts } from './list-delivery-attempts.ts';
import { listEndpoints } from './list-endpoints.ts';
import { listEventDeliveries } from './list-event-deliveries.ts';
import { listEventMatching } from './list-event-matching.ts';
import { listEventReceipts } from './list-event-receipts.ts';
import { listEvents } from './list-events.ts';
import { listReplayItems } from './list-replay-items.ts';
import { listReplays } from './list-replays.ts';
import { listSessions } from './list-sessions.ts';
import { listSourceRejections } from './list-source-rejections.ts';
import { listSources } from './list-sources.ts';
import { listTenants } from './list-tenants.ts';
import { pauseEndpoint } from './pause-endpoint.ts';
import { publishEvent } from './publish-event.ts';
import { putTenant } from './put-tenant.ts';
import { recoverEndpoint } from './recover-endpoint.ts';
import { redeemSession } from './redeem-session.ts';
import { replayDeadLetters } from './replay-dead-letters.ts';
import { replayEvent } from './replay-event.ts';
import { replayEvents } from './replay-events.ts';
import { resumeEndpoint } from './resume-endpoint.ts';
import { retryDeliveries } from './retry-deliveries.ts';
import { retryDelivery } from './retry-delivery.ts';
import { rotateEndpointSecret } from './rotate-endpoint-secret.ts';
import { rotateSourceSecret } from './rotate-source-secret.ts';
import { sampleWebhook } from './sample-webhook.ts';
import { searchEvents } from './search-events.ts';
import { testEndpoint } from './test-endpoint.ts';
import { updateEndpoint } from './update-endpoint.ts';
import { updateSource } from './update-source.ts';
import { verifyWebhook } from './verify-webhook.ts';

/** Every route but those of the documentation. All but the public ones need a key. */
export const routes: readonly Route[] = [
  createSource,
  listSources,
  getSource,
  updateSource,
  deleteSource,
  rotateSourceSecret,
  listSourceRejections,
  verifyWebhook,
  sampleWebhook,
  createEndpoint,
  listEndpoints,
  getEndpoint,
  updateEndpoint,
  deleteEndpoint,
  rotateEndpointSecret,
  disableEndpoint,
  enableEndpoint,
  pauseEndpoint,
  resumeEndpoint,
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
  listDeadLetters,
  getDeadLetter,
  replayDeadLetters,
  listReplays,
  getReplay,
  listReplayItems,
  cancelReplay,
  createErasure,
  getErasure,
  getStats,
  getSystem,
  createApiKey,
  listApiKeys,
  getApiKey,
  deleteApiKey,
  createSession,
  redeemSession,
  listSessions,
  deleteSession,
  getMe,
  listTenants,
  putTenant,
  deleteTenant,
  listAudit,
];
