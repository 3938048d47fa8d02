import { apiKeyRoutes, meRoutes, portalLinkRoutes, sessionRoutes } from './access/index.ts';
import { auditRoutes } from './audit/index.ts';
import { deadLetterRoutes } from './dead-letters/index.ts';
import { deliveryRoutes } from './deliveries/index.ts';
import { endpointRoutes } from './endpoints/index.ts';
import { erasureRoutes } from './erasures/index.ts';
import { eventTypeRoutes } from './event-types/index.ts';
import { eventRoutes } from './events/index.ts';
import {
  deadLetterReplayRoutes,
  deliveryActions,
  endpointSendings,
  eventReplayRoutes,
  replayRoutes,
} from './replays/index.ts';
import type { Route } from './route.ts';
import { sourceRoutes } from './sources/index.ts';
import { statRoutes, systemRoutes } from './stats/index.ts';
import { limitRoutes, tenantRoutes } from './tenants/index.ts';

/** Every route but those of the documentation. All but the public ones need a key. */
export const routes: readonly Route[] = [
  ...sourceRoutes,
  ...endpointRoutes,
  ...endpointSendings,
  ...eventRoutes,
  ...deliveryRoutes,
  ...deliveryActions,
  ...eventReplayRoutes,
  ...eventTypeRoutes,
  ...deadLetterRoutes,
  ...deadLetterReplayRoutes,
  ...replayRoutes,
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
