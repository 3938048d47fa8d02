/** The webhooks of one scenario: a function of the seed. */
import { hash } from 'node:crypto';
import type { SourceScheme, SourceSettings } from '#lib/contract';
import type { WebhookToSend } from '../../support/sender.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { signAsGithub, signAsHookline, signAsShopify, signAsStandardWebhooks } from '../../support/sign-webhook.ts';

/** One thing to be sent; what has the same number is the same webhook. */
export interface PlannedSend {
  number: number;
  /** A repetition, and with other bytes than the first time. */
  changed: boolean;
}

const changedShare = 0.1;
/** A repetition that is near comes among so many others: some seconds later, on another connection. */
const near = 200;

/**
 * Plans the sends in order, a share of them repetitions: a third at once, so that both are in flight at the same time, a third a little
 * later, a third at any time until the end.
 */
export function planSends(count: number, repeatedShare: number, random: () => number): PlannedSend[] {
  const firsts = Math.round(count * (1 - repeatedShare));
  const sends = Array.from({ length: firsts }, (_, number) => ({ number, changed: false, at: number }));
  while (sends.length < count) {
    const number = Math.floor(random() * firsts);
    const distances = [random(), random() * near, random() * (firsts - number)];
    const at = number + (distances[Math.floor(random() * distances.length)] ?? 0);
    sends.push({ number, changed: random() < changedShare, at });
  }
  return sends.sort((a, b) => a.at - b.at).map(({ number, changed }) => ({ number, changed }));
}

/** How a kind of sender names and signs its webhooks. */
export interface SenderKind {
  scheme: SourceScheme;
  settings: SourceSettings;
  /** The place of the sender's name for a webhook; a body without a name is known by its bytes. */
  named: 'in a header' | 'in the body' | 'not at all';
  sign(secret: string, body: Buffer, identity: string, nowMs: number): Record<string, string>;
}

const seconds = (nowMs: number): number => Math.floor(nowMs / 1000);

export const senderKinds: readonly SenderKind[] = [
  {
    scheme: 'hookline',
    settings: {},
    named: 'in the body',
    sign: (secret, body, _identity, nowMs) => signAsHookline(secret, body, seconds(nowMs)),
  },
  {
    scheme: 'github',
    settings: {},
    named: 'in a header',
    sign: (secret, body, identity) => ({
      'x-github-event': 'push',
      'x-github-delivery': identity,
      ...signAsGithub(secret, body),
    }),
  },
  {
    scheme: 'stripe',
    settings: {},
    named: 'in the body',
    sign: (secret, body, _identity, nowMs) => ({
      'stripe-signature': signAsHookline(secret, body, seconds(nowMs))['hookline-signature'] ?? '',
    }),
  },
  {
    scheme: 'standard-webhooks',
    settings: {},
    named: 'in a header',
    sign: (secret, body, identity, nowMs) => signAsStandardWebhooks(secret, body, identity, seconds(nowMs)),
  },
  {
    scheme: 'shopify',
    settings: { ordering_key: ['/key'] },
    named: 'in a header',
    sign: (secret, body, identity) => ({ 'x-shopify-webhook-id': identity, ...signAsShopify(secret, body) }),
  },
  {
    scheme: 'hookline',
    settings: { signature_header: 'X-Acme-Signature', dedup_id: ['/data/object/id'], response_status: 200 },
    named: 'in the body',
    sign: (secret, body, _identity, nowMs) => ({
      'x-acme-signature': signAsHookline(secret, body, seconds(nowMs))['hookline-signature'] ?? '',
    }),
  },
  {
    scheme: 'hookline',
    settings: {},
    named: 'not at all',
    sign: (secret, body, _identity, nowMs) => signAsHookline(secret, body, seconds(nowMs)),
  },
];

export const kindOf = (number: number): number => number % senderKinds.length;

const orderingKeys = 40;

/** The ordering key, if the webhook's source has one. */
export const orderingKeyOf = (number: number): string | undefined =>
  senderKinds[kindOf(number)]?.settings.ordering_key === undefined
    ? undefined
    : `key-${Math.floor(number / senderKinds.length) % orderingKeys}`;

const largestPadding = 2_000;

/** The webhook as sent at this time: signed again each time, as providers do. */
export function makeWebhook(
  planned: PlannedSend,
  { scenario, secret, seed, nowMs }: { scenario: string; secret: string; seed: number; nowMs: number },
): WebhookToSend {
  const { number } = planned;
  const kind = senderKinds[kindOf(number)] as SenderKind;
  const name = `${scenario}-${number}`;
  const random = seededRandom(seed + number);
  const key = orderingKeyOf(number);
  const content = {
    type: 'order.updated',
    ...(key !== undefined && { key }),
    padding: 'x'.repeat(Math.floor(random() * largestPadding)),
    ...(kind.named === 'in the body' && (kind.settings.dedup_id ? { data: { object: { id: name } } } : { id: name })),
    // For a webhook that only its bytes name, other bytes are another webhook.
    ...(kind.named === 'not at all' ? { order: name } : planned.changed && { changed: true }),
  };
  const body = Buffer.from(JSON.stringify(content));
  const identity = kind.named === 'not at all' ? hash('sha256', body) : name;
  return {
    identity,
    body,
    headers: { 'content-type': 'application/json', ...kind.sign(secret, body, identity, nowMs) },
  };
}
