/** Webhooks and publishes: as many as are wanted, spread over the time that the faults take, and then some every second until they are over. */
import { seededRandom, seedOf } from '../../support/seeded-random.ts';
import type { EventEntry } from '../checker/history.ts';
import { isPublished, type Ledger } from '../checker/ledger.ts';
import type { Client } from '../idempotency/client.ts';
import type { Intent } from '../idempotency/history.ts';
import type { Load } from '../receiving/send-load.ts';
import { orderingKeyOf, type PlannedSend, planSends, senderKinds } from '../receiving/webhooks.ts';
import { planPublishes, publishAll } from './publishes.ts';

export interface Traffic {
  /** Resolves when all is taken. */
  sent: Promise<void>;
  /** The requests of publishers so far. */
  readonly intents: readonly Intent[];
}

interface Options {
  load: Load;
  client: Client;
  seed: number;
  webhooks: number;
  expectedMs: number;
  faultsOver: Promise<unknown>;
}

export const repeatedShare = 0.2;
/** As a share of webhooks. */
const publishedShare = 0.05;
/** A process that is to die of its work must have some. */
const trickle = { webhooks: 10, publishes: 2, everyMs: 1_000 };

/**
 * The kinds of twenty webhooks in a row. Most are of the first kinds, whose events go only to endpoints that are well: sick ones get enough
 * of the others'.
 */
const kindsInTurn = [0, 1, 0, 1, 2, 0, 1, 0, 1, 3, 0, 1, 0, 1, 4, 2, 0, 1, 5, 6];

/** The number by which the n-th webhook has the kind of its turn. */
const ofItsKind = (n: number): number => n * senderKinds.length + (kindsInTurn[n % kindsInTurn.length] ?? 0);
/** The smallest share of all webhooks that a kind has that is not common. */
export const rareShare = 1 / kindsInTurn.length;
/** By its place among the kinds. */
export const areCommon = (kind: number): boolean => kind < 2;

export function startTraffic({ load, client, seed, webhooks, expectedMs, faultsOver }: Options): Traffic {
  const random = (what: string): (() => number) => seededRandom(seedOf(seed, what));
  const planned = { sends: random('webhooks'), publishes: random('publishes'), repeats: random('repeats') };
  const intents: Intent[] = [];
  let numbers = 0;
  let isOver = false;
  const end = (): void => void (isOver = true);
  faultsOver.then(end, end);

  const send = async (count: number, ms: number, hurry: Promise<unknown>): Promise<void> => {
    const firsts = planSends(count, repeatedShare, planned.sends);
    const sends = firsts.map((each): PlannedSend => ({ ...each, number: ofItsKind(each.number + numbers) }));
    numbers += firsts.reduce((most, { number }) => Math.max(most, number + 1), 0);
    await load.send(sends, ms, hurry);
  };
  const publish = async (count: number, ms: number, hurry: Promise<unknown>): Promise<void> => {
    const wanted = planPublishes(count, intents.length, planned.publishes);
    intents.push(...wanted);
    await publishAll(wanted, { client, random: planned.repeats, repeatedShare, expectedMs: ms, faultsOver: hurry });
  };
  const untilOver = async (
    work: (count: number, ms: number, hurry: Promise<unknown>) => Promise<void>,
    count: number,
    atOnce: number,
  ): Promise<void> => {
    await work(count, expectedMs, faultsOver);
    while (!isOver) await work(atOnce, trickle.everyMs, faultsOver);
  };
  const sent = Promise.all([
    untilOver(send, webhooks, trickle.webhooks),
    untilOver(publish, Math.round(webhooks * publishedShare), trickle.publishes),
  ]).then(() => undefined);
  return { sent, intents };
}

/** The ordering key of each event by what its sender or publisher meant: nothing that Hookline says of it. */
export function orderingKeysOf(ledger: Ledger, intents: readonly Intent[]): (event: EventEntry) => string | undefined {
  const published = new Map(intents.map(({ key, orderingKey }) => [key, orderingKey]));
  return (event) => {
    if (isPublished(event)) {
      const { key } = ledger.publishByPayload.get(event.payloadSha256) ?? {};
      const orderingKey = key === undefined ? null : published.get(key);
      return orderingKey ? `published ${orderingKey}` : undefined;
    }
    const [record] = ledger.recordsByOrigin.get(event.origin) ?? [];
    const send = record && ledger.sendByTrace.get(record.traceId);
    const [, number] = /-(\d+)$/.exec(send?.identity ?? '') ?? [];
    const key = number === undefined ? undefined : orderingKeyOf(Number(number));
    return key && `${event.sourceId} ${key}`;
  };
}
