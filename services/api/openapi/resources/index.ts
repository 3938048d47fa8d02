import {
  apiKeys,
  audit,
  deadLettersAndReplays,
  deliveries,
  endpoints,
  erasures,
  events,
  eventTypes,
  limits,
  portalLinks,
  sessions,
  sources,
  statistics,
  systemState,
  tenants,
} from '#lib/api-contract';
import { type DocumentedResource, documented } from '../operation.ts';
import { documentedDocumentation } from './documentation.ts';

export const documentedResources: readonly DocumentedResource[] = [
  documented(sources),
  documented(endpoints),
  documented(events),
  documented(eventTypes),
  documented(deliveries),
  documented(deadLettersAndReplays),
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
