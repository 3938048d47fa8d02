import type { WebhookToSend } from '../../support/sender.ts';
import { signAsHookline } from '../../support/sign-webhook.ts';

export interface Payload {
  id: string;
  type: string;
  number: number;
  /** The part of the run that it is sent in. */
  act: string;
  /** The ordering key. */
  key: string;
  /** How many tries an endpoint that obeys payloads refuses. */
  refuse: number;
  padding: string;
}

const largestPadding = 1_000;

export interface Plan {
  scenario: string;
  act: string;
  count: number;
  /** The first one's number. */
  from: number;
  keys: number;
  /** How often that of a key is refused. */
  refusals(random: () => number, key: number): number;
  random: () => number;
}

/** So many payloads of one act: a function of the random numbers. */
export function planPayloads({ scenario, act, count, from, keys, refusals, random }: Plan): Payload[] {
  return Array.from({ length: count }, (_, index) => {
    const number = from + index;
    const key = Math.floor(random() * keys);
    return {
      id: `${scenario}-${number}`,
      type: 'order.updated',
      number,
      act,
      key: `key-${key}`,
      refuse: refusals(random, key),
      padding: 'x'.repeat(Math.floor(random() * largestPadding)),
    };
  });
}

/** Signed as of now. */
export function webhookOf(payload: Payload, secret: string): WebhookToSend {
  const body = Buffer.from(JSON.stringify(payload));
  return {
    identity: payload.id,
    body,
    headers: {
      'content-type': 'application/json',
      ...signAsHookline(secret, body, Math.floor(Date.now() / 1000)),
    },
  };
}
