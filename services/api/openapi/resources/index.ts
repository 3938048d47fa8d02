import { apiKeys, audit, erasures, limits, portalLinks, sessions, sources, statistics, systemState, tenants } from '#lib/api-contract';
import { type DocumentedResource, documented } from '../operation.ts';
import { documentedDeadLetters } from './dead-letters.ts';
import { documentedDeliveries } from './deliveries.ts';
import { documentedDocumentation } from './documentation.ts';
import { documentedEndpoints } from './endpoints.ts';
import { documentedEventTypes } from './event-types.ts';
import { documentedEvents } from './events.ts';

export const documentedResources: readonly DocumentedResource[] = [
  documented(sources),
  documentedEndpoints,
  documentedEvents,
  documentedEventTypes,
  documentedDeliveries,
  documentedDeadLetters,
  documented(erasures),
  documented(statistics),
  documented(systemState),
  documented(apiKeys),
  documented(sessions),
  documented(portalLinks),
  documented(limits),
  documented(tenants),
  documented(audit),
  documentedDocumentation,
];
