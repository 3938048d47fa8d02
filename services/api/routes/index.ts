import type { Route } from '../route.ts';
import { cancelDelivery } from './cancel-delivery.ts';
import { cancelReplay } from './cancel-replay.ts';
import { createApiKey } from './create-api-key.ts';
import { createEndpoint } from './create-endpoint.ts';
import { createSource } from './create-source.ts';
import { deleteApiKey } from './delete-api-key.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { deleteSource } from './delete-source.ts';
import { disableEndpoint } from './disable-endpoint.ts';
import { enableEndpoint } from './enable-endpoint.ts';
import { getApiKey } from './get-api-key.ts';
import { getDeadLetter } from './get-dead-letter.ts';
import { getDelivery } from './get-delivery.ts';
import { getEndpoint } from './get-endpoint.ts';
import { getEventPayload } from './get-event-payload.ts';
import { getEvent } from './get-event.ts';
import { getReplay } from './get-replay.ts';
import { getSource } from './get-source.ts';
import { listApiKeys } from './list-api-keys.ts';
import { listDeadLetters } from './list-dead-letters.ts';
import { listDeliveryAttempts } from './list-delivery-attempts.ts';
import { listEndpoints } from './list-endpoints.ts';
import { listEventDeliveries } from './list-event-deliveries.ts';
import { listEvents } from './list-events.ts';
import { listReplays } from './list-replays.ts';
import { listSourceRejections } from './list-source-rejections.ts';
import { listSources } from './list-sources.ts';
import { publishEvent } from './publish-event.ts';
import { recoverEndpoint } from './recover-endpoint.ts';
import { replayDeadLetters } from './replay-dead-letters.ts';
import { replayEvent } from './replay-event.ts';
import { retryDelivery } from './retry-delivery.ts';
import { rotateEndpointSecret } from './rotate-endpoint-secret.ts';
import { rotateSourceSecret } from './rotate-source-secret.ts';
import { testEndpoint } from './test-endpoint.ts';
import { updateEndpoint } from './update-endpoint.ts';
import { updateSource } from './update-source.ts';

/** Every route that needs a key. */
export const routes: readonly Route[] = [
  createSource,
  listSources,
  getSource,
  updateSource,
  deleteSource,
  rotateSourceSecret,
  listSourceRejections,
  createEndpoint,
  listEndpoints,
  getEndpoint,
  updateEndpoint,
  deleteEndpoint,
  rotateEndpointSecret,
  disableEndpoint,
  enableEndpoint,
  recoverEndpoint,
  testEndpoint,
  publishEvent,
  listEvents,
  getEvent,
  getEventPayload,
  listEventDeliveries,
  getDelivery,
  listDeliveryAttempts,
  retryDelivery,
  cancelDelivery,
  replayEvent,
  listDeadLetters,
  getDeadLetter,
  replayDeadLetters,
  listReplays,
  getReplay,
  cancelReplay,
  createApiKey,
  listApiKeys,
  getApiKey,
  deleteApiKey,
];
