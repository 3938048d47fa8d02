import type { DocumentedResource } from '../operation.ts';
import { documentedApiKeys } from './api-keys.ts';
import { documentedDeadLetters } from './dead-letters.ts';
import { documentedDeliveries } from './deliveries.ts';
import { documentedDocumentation } from './documentation.ts';
import { documentedEndpoints } from './endpoints.ts';
import { documentedEvents } from './events.ts';
import { documentedSources } from './sources.ts';

export const documentedResources: readonly DocumentedResource[] = [
  documentedSources,
  documentedEndpoints,
  documentedEvents,
  documentedDeliveries,
  documentedDeadLetters,
  documentedApiKeys,
  documentedDocumentation,
];
