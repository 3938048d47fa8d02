import { audit } from '#lib/api-contract';
import { type DocumentedResource, documented } from '../operation.ts';
import { documentedApiKeys } from './api-keys.ts';
import { documentedDeadLetters } from './dead-letters.ts';
import { documentedDeliveries } from './deliveries.ts';
import { documentedDocumentation } from './documentation.ts';
import { documentedEndpoints } from './endpoints.ts';
import { documentedErasures } from './erasures.ts';
import { documentedEventTypes } from './event-types.ts';
import { documentedEvents } from './events.ts';
import { documentedLimits } from './limits.ts';
import { documentedPortalLinks } from './portal-links.ts';
import { documentedSessions } from './sessions.ts';
import { documentedSources } from './sources.ts';
import { documentedTenants } from './tenants.ts';
import { documentedStats } from './stats.ts';
import { documentedSystem } from './system.ts';

export const documentedResources: readonly DocumentedResource[] = [
  documentedSources,
  documentedEndpoints,
  documentedEvents,
  documentedEventTypes,
  documentedDeliveries,
  documentedDeadLetters,
  documentedErasures,
  documentedStats,
  documentedSystem,
  documentedApiKeys,
  documentedSessions,
  documentedPortalLinks,
  documentedLimits,
  documentedTenants,
  documented(audit),
  documentedDocumentation,
];
