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

const dlq = createCommandGroup('hookline dlq', {
  list: { summary: 'what has died, and why', load: () => import('./dlq/list.ts') },
  show: {
    summary: 'one dead letter with its headers and payload, or where a replay stands',
    load: () => import('./dlq/show.ts'),
  },
  replay: { summary: 'sends what has died again', load: () => import('./dlq/replay.ts') },
  cancel: { summary: 'ends a replay; what it has not sent is dead again', load: () => import('./dlq/cancel.ts') },
});

export const hookline = createCommandGroup('hookline', {
  sources: { summary: 'where webhooks come from: create, change, rotate secrets, look at rejections', group: sources },
  dlq: { summary: 'dead letters: look at them, replay them', group: dlq },
  send: {
    summary: 'sends signed webhooks to a source, again until they are accepted',
    load: () => import('./send.ts'),
  },
  sign: { summary: 'the headers with which a provider would sign a body', load: () => import('./sign.ts') },
  verify: { summary: 'whether a body is signed by a secret', load: () => import('./verify.ts') },
  setup: {
    summary: 'migrations, topics, schemas: before the first start and each upgrade',
    load: () => import('./setup.ts'),
  },
  'reseal-secrets': {
    summary: 'brings all secrets under the first encryption key',
    load: () => import('./reseal-secrets.ts'),
  },
});
