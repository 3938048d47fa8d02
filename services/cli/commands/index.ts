import { createCommandGroup } from '../command-group.ts';

const sources = createCommandGroup('hookline sources', {
  list: { summary: 'the sources that there are', load: () => import('./sources/list.ts') },
  show: { summary: 'one source', load: () => import('./sources/show.ts') },
  create: { summary: 'a new source; shows its secret, this once', load: () => import('./sources/create.ts') },
  update: { summary: 'changes what is set, and resets it', load: () => import('./sources/update.ts') },
  delete: { summary: 'ends a source for good: its senders get 410', load: () => import('./sources/delete.ts') },
  'rotate-secret': {
    summary: 'a new secret; the old one stays valid for a while',
    load: () => import('./sources/rotate-secret.ts'),
  },
  rejections: {
    summary: 'the webhooks that were refused lately, and why',
    load: () => import('./sources/rejections.ts'),
  },
});

const endpoints = createCommandGroup('hookline endpoints', {
  list: { summary: 'the endpoints that there are', load: () => import('./endpoints/list.ts') },
  show: { summary: 'one endpoint', load: () => import('./endpoints/show.ts') },
  create: { summary: 'a new endpoint; shows its secret, this once', load: () => import('./endpoints/create.ts') },
  update: { summary: 'changes what is set, and resets it', load: () => import('./endpoints/update.ts') },
  delete: {
    summary: 'ends an endpoint for good; what is on its way is cancelled',
    load: () => import('./endpoints/delete.ts'),
  },
  'rotate-secret': {
    summary: 'a new secret; deliveries are signed with the old one too for a while',
    load: () => import('./endpoints/rotate-secret.ts'),
  },
  enable: { summary: 'takes back whatever has disabled it', load: () => import('./endpoints/enable.ts') },
  disable: { summary: 'nothing is sent to it until it is enabled', load: () => import('./endpoints/disable.ts') },
  recover: { summary: 'sends again what has died since a time', load: () => import('./endpoints/recover.ts') },
  test: {
    summary: 'sends it an event of its own, and tells what came of it',
    load: () => import('./endpoints/test.ts'),
  },
});

const events = createCommandGroup('hookline events', {
  publish: { summary: 'an event of your own', load: () => import('./events/publish.ts') },
  list: { summary: 'what was received and published, by its last change', load: () => import('./events/list.ts') },
  show: { summary: 'one event with its payload', load: () => import('./events/show.ts') },
  deliveries: { summary: 'where an event went, and how far it has come', load: () => import('./events/deliveries.ts') },
  tail: { summary: 'each change of an event as it happens', load: () => import('./events/tail.ts') },
});

const deliveries = createCommandGroup('hookline deliveries', {
  show: { summary: 'one delivery, and when it is tried again', load: () => import('./deliveries/show.ts') },
  attempts: { summary: 'what came of each send', load: () => import('./deliveries/attempts.ts') },
  retry: { summary: 'sends it now; of one that is dead, its dead letter', load: () => import('./deliveries/retry.ts') },
  cancel: { summary: 'ends one that is not delivered yet', load: () => import('./deliveries/cancel.ts') },
});

const dlq = createCommandGroup('hookline dlq', {
  list: { summary: 'what has died, and why', load: () => import('./dlq/list.ts') },
  show: {
    summary: 'one dead letter with its headers and payload, or where a replay stands',
    load: () => import('./dlq/show.ts'),
  },
  replay: { summary: 'sends what has died again', load: () => import('./dlq/replay.ts') },
  cancel: { summary: 'ends a replay; what it has not sent is dead again', load: () => import('./dlq/cancel.ts') },
});

const apiKeys = createCommandGroup('hookline api-keys', {
  create: { summary: 'a new key; shows it, this once', load: () => import('./api-keys/create.ts') },
  list: {
    summary: 'the keys that are not revoked, and when each was last used',
    load: () => import('./api-keys/list.ts'),
  },
  revoke: { summary: 'nobody gets in with it any more', load: () => import('./api-keys/revoke.ts') },
});

const rebuild = createCommandGroup('hookline rebuild', {
  waiting: {
    summary: 'the rows of deliveries that wait, from what Kafka has of them',
    load: () => import('./rebuild/waiting.ts'),
  },
});

export const hookline = createCommandGroup('hookline', {
  sources: { summary: 'where webhooks come from: create, change, rotate secrets, look at rejections', group: sources },
  endpoints: { summary: 'where events are sent to: create, change, test, recover', group: endpoints },
  events: { summary: 'what was received and published: list it, follow its changes, publish', group: events },
  deliveries: { summary: 'events on their way to endpoints: attempts, retry, cancel', group: deliveries },
  dlq: { summary: 'dead letters: look at them, replay them', group: dlq },
  'api-keys': { summary: 'who may ask the API, and for what: create, list, revoke', group: apiKeys },
  send: {
    summary: 'sends signed webhooks to a source, again until they are accepted',
    load: () => import('./send.ts'),
  },
  sign: { summary: 'the headers with which a provider would sign a body', load: () => import('./sign.ts') },
  verify: { summary: 'whether a body is signed by a secret', load: () => import('./verify.ts') },
  listen: {
    summary: 'a receiver that prints and verifies what comes, and fails as it is told',
    load: () => import('./listen/listen.ts'),
  },
  'check-url': { summary: 'whether an endpoint may have a URL', load: () => import('./check-url.ts') },
  setup: {
    summary: 'migrations, topics, schemas: before the first start and each upgrade',
    load: () => import('./setup.ts'),
  },
  serve: {
    summary: 'all services, or some of them, in one process: for small machines',
    load: () => import('./serve.ts'),
  },
  rebuild: { summary: 'what Postgres has lost, from what Kafka has', group: rebuild },
  'reseal-secrets': {
    summary: 'brings all secrets under the first encryption key',
    load: () => import('./reseal-secrets.ts'),
  },
});
