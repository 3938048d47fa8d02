/** The requests to the API, as a function of the seed. */
import { hash } from 'node:crypto';
import type { Intent } from './history.ts';

interface Plan {
  scenario: string;
  count: number;
  /** The number of the first. */
  from: number;
  random: () => number;
}

const tenants = 4;
const orderingKeys = 2;
const shares = { refused: 0.05, endpoints: 0.4 };
const largestPadding = 500;

const tenantsOf = (scenario: string): string[] => Array.from({ length: tenants }, (_, n) => `${scenario}-${n}`);

/** As many intents; each key's text is that of one intent in each tenant. */
export function planIntents({ scenario, count, from, random }: Plan): Intent[] {
  const names = tenantsOf(scenario);
  return Array.from({ length: count }, (_, n): Intent => {
    const common = {
      number: from + n,
      scenario,
      tenant: names[n % tenants] as string,
      key: `${scenario}-${Math.floor(n / tenants)}`,
      mark: `${scenario}.${n}`,
    };
    const kind = random();
    return kind < shares.refused + shares.endpoints
      ? endpointIntent(common, kind < shares.refused)
      : eventIntent(common, random);
  });
}

type Common = Pick<Intent, 'number' | 'scenario' | 'tenant' | 'key' | 'mark'>;

/** @param refused by the handler: a response that is stored like any other, without an effect */
function endpointIntent(common: Common, refused: boolean): Intent {
  const url = `http://${refused ? '10.0.0.1' : '127.0.0.1:9'}/${common.mark}`;
  return {
    ...common,
    path: '/v1/endpoints',
    body: JSON.stringify({ url, description: common.mark }),
    status: refused ? 400 : 201,
    eventId: null,
    orderingKey: null,
    payloadSha256: null,
  };
}

/** A third with an identifier, which is a second thing that keeps it single; a third in an order; a third with neither. */
function eventIntent(common: Common, random: () => number): Intent {
  const kind = Math.floor(random() * 3);
  const eventId = kind === 0 ? common.mark : null;
  const orderingKey = kind === 1 ? `order-${Math.floor(random() * orderingKeys)}` : null;
  const payload = { n: common.number, padding: 'x'.repeat(Math.floor(random() * largestPadding)) };
  const body = {
    type: common.mark,
    payload,
    ...(eventId !== null && { event_id: eventId }),
    ...(orderingKey !== null && { ordering_key: orderingKey }),
  };
  return {
    ...common,
    path: '/v1/events',
    body: JSON.stringify(body),
    status: 202,
    eventId,
    orderingKey,
    payloadSha256: hash('sha256', JSON.stringify(payload)),
  };
}

/** Requests that begin at the same moment. */
export interface Round {
  intents: readonly Intent[];
  /** For each intent. */
  requests: number;
}

const mostAtOnce = 5;
const repetitions = { soon: 0.5, anyTime: 0.4 };
/** An early repetition comes within so many others. */
const near = 30;

/**
 * Plans a first round of each intent, and for some one soon after it, and one at any time until the end. An ordered event comes together with the
 * next one of its key, which finds the row of the other in the outbox, and has to be claimed.
 */
export function planRounds(intents: readonly Intent[], random: () => number): Round[] {
  const rounds: (Round & { at: number })[] = [];
  intents.forEach((intent, n) => {
    const follower = intents.slice(n + 1).find((later) => isSameOrder(intent, later));
    const together = [intent, ...(follower === undefined ? [] : [follower])];
    const add = (at: number): void =>
      void rounds.push({ intents: together, requests: 1 + Math.floor(random() * mostAtOnce), at });
    add(n);
    if (random() < repetitions.soon) add(n + random() * near);
    if (random() < repetitions.anyTime) add(n + random() * (intents.length - n));
  });
  return rounds.sort((a, b) => a.at - b.at);
}

const isSameOrder = (one: Intent, other: Intent): boolean =>
  one.orderingKey !== null && one.tenant === other.tenant && one.orderingKey === other.orderingKey;
