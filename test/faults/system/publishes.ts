/** Publishers: POST /v1/events under idempotency keys, each asked again as the documentation says, some again when all is over. */
import { hash } from 'node:crypto';
import type { Publish } from '../checker/history.ts';
import type { Client } from '../idempotency/client.ts';
import type { Intent } from '../idempotency/history.ts';
import { spreadOut } from '../support/spread-out.ts';

const tenant = 'default';
const orderingKeys = 5;
const largestPadding = 1_000;

/**
 * As many events: a third with an identifier, a third in an order, a third with neither.
 *
 * @param from the first one's number
 */
export function planPublishes(count: number, from: number, random: () => number): Intent[] {
  return Array.from({ length: count }, (_, index): Intent => {
    const number = from + index;
    const mark = `published.${number}`;
    const kind = number % 3;
    const eventId = kind === 0 ? mark : null;
    const orderingKey = kind === 1 ? `order-${Math.floor(random() * orderingKeys)}` : null;
    const payload = { number, padding: 'x'.repeat(Math.floor(random() * largestPadding)) };
    const body = {
      type: mark,
      payload,
      ...(eventId !== null && { event_id: eventId }),
      ...(orderingKey !== null && { ordering_key: orderingKey }),
    };
    return {
      number,
      scenario: 'system',
      tenant,
      mark,
      key: mark,
      path: '/v1/events',
      body: JSON.stringify(body),
      status: 202,
      eventId,
      orderingKey,
      payloadSha256: hash('sha256', JSON.stringify(payload)),
    };
  });
}

const atOnce = 8;

/** Publishes each event once, and a share of them again at any time until the end. @throws Error if one gets no answer in the end */
export async function publishAll(
  intents: readonly Intent[],
  options: {
    client: Client;
    random: () => number;
    repeatedShare: number;
    expectedMs: number;
    faultsOver: Promise<unknown>;
  },
): Promise<void> {
  const { client, random, repeatedShare } = options;
  const end = (intents.at(-1)?.number ?? 0) + 1;
  const again = intents.filter(() => random() < repeatedShare);
  const rounds = [
    ...intents.map((intent) => ({ intent, at: intent.number })),
    ...again.map((intent) => ({ intent, at: intent.number + random() * (end - intent.number) })),
  ].sort((a, b) => a.at - b.at);
  await spreadOut(rounds, { ...options, atOnce }, async ({ intent }) => {
    if (!(await client.askUntilSettled(intent))) throw new Error(`${intent.key} has no answer`);
  });
}

/** The requests and answers, as the checker wants them. */
export function publishesOf(intents: readonly Intent[], log: Client['log']): Publish[] {
  const byIntent = Map.groupBy(log, ({ intent }) => intent);
  return intents.map(({ number, key, payloadSha256 }) => ({
    key,
    payloadSha256: payloadSha256 ?? '',
    calls: (byIntent.get(number) ?? []).map(
      ({ startedAtMs, endedAtMs, status, replayed, answerSha256, id, detail }) => ({
        startedAtMs,
        endedAtMs,
        status,
        replayed,
        answerSha256,
        eventId: id,
        detail,
      }),
    ),
  }));
}
