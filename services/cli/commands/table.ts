/** Every verb of the command line. A new one is a row of its group's file, or an entry here. */
import type { VerbTable } from '../verb.ts';
import { apiKeys } from './api-keys.ts';
import { audit } from './audit.ts';
import { deadLetters } from './dead-letters.ts';
import { deliveries } from './deliveries.ts';
import { endpoints } from './endpoints.ts';
import { eraseVerb } from './erase.ts';
import { events } from './events.ts';
import { portalLinks } from './portal-links.ts';
import { sessions } from './sessions.ts';
import { sources } from './sources.ts';
import { limits, stats, system } from './stats.ts';
import { tenants } from './tenants.ts';
import {
  checkUrl,
  completionVerb,
  consoleVerb,
  listen,
  me,
  rebuild,
  resealSecrets,
  send,
  serve,
  setup,
  sign,
  statusVerb,
  verify,
} from './tools.ts';
import { types } from './types.ts';

export const verbTable: VerbTable = {
  sources: { summary: 'Manage sources, where webhooks come from', verbs: sources },
  endpoints: { summary: 'Manage endpoints, where events are delivered', verbs: endpoints },
  events: { summary: 'List, follow and publish events', verbs: events },
  deliveries: { summary: 'Inspect, retry and cancel deliveries', verbs: deliveries },
  types: { summary: 'Describe event types, import and export them', verbs: types },
  dlq: { summary: 'List, inspect and replay dead letters', verbs: deadLetters },
  'api-keys': { summary: 'Create, list and revoke API keys', verbs: apiKeys },
  erase: eraseVerb,
  'portal-links': { summary: 'Make, list and revoke links to the portal', verbs: portalLinks },
  sessions: { summary: 'Make, list and end sessions', verbs: sessions },
  tenants: { summary: 'List tenants, set their limits, delete them', verbs: tenants },
  console: consoleVerb,
  audit,
  me,
  limits,
  status: statusVerb,
  stats,
  system,
  send,
  sign,
  verify,
  listen,
  'check-url': checkUrl,
  setup,
  serve,
  rebuild: { summary: 'Rebuild rows that Postgres lost from Kafka’s records', verbs: rebuild },
  'reseal-secrets': resealSecrets,
  completion: completionVerb(() => verbTable),
};
