import { askPostgres } from '../support/with-database.ts';
import { connectKafkaOffsets } from '../support/kafka-offsets.ts';
import { flushRedisDatabase } from '../support/flush-redis.ts';
import { seededRandom } from '../support/seeded-random.ts';
import type { WebhookToSend } from '../support/sender.ts';
import { serverAddresses } from '../support/servers.ts';
import { signAsHookline } from '../support/sign-webhook.ts';
import { pipelineServices } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { Arrival } from '../faults/checker/history.ts';
import { recoverAsTheRunbookSays } from '../faults/rehearsals/runbook-restore.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';
import { prepareWebhookRun } from './webhook-run.ts';

jest.setTimeout(900_000);

const timeoutMs = 180_000;
const perSecond = 60;

/** A third of them is taken in full at once, a third after the instant to be restored to, a third in the end alone. */
const keys = 21;
const patienceOf = ({ key }: { key: string }): number => Number(key.slice('customer-'.length)) % 3;

const inOrder = { source: { ordering_key: ['/key'] }, endpoint: { ordered: true } };

type Settings = Pick<Parameters<typeof prepareWebhookRun>[1], 'source' | 'endpoint'>;

const cases: [endpoints: string, settings: Settings][] = [
  ['endpoints that take events in any order', { source: {}, endpoint: {} }],
  ['endpoints that take the events of a key in their order', inOrder],
];

describe('Postgres, put back to an earlier instant as the runbook says', () => {
  it.concurrent.each(cases)(
    'before %s: no webhook is lost, none gets a second event, and nothing that was taken is sent again',
    async (_, settings) => {
      const pipeline = await startOwnPipeline();
      try {
        await pipeline.explain(() => restoreAndCheck(pipeline, settings));
      } finally {
        await pipeline.close();
      }
    },
  );
});

async function restoreAndCheck(pipeline: OwnPipeline, { source, endpoint }: Settings): Promise<void> {
  const { stack } = pipeline;
  const stopAll = (): Promise<unknown> => Promise.all(pipelineServices.map((name) => pipeline.stopService(name)));
  const startAll = (names: readonly (typeof pipelineServices)[number][]): Promise<unknown> =>
    Promise.all(names.map((name) => pipeline.startService(name)));
  const database = new URL(stack.databaseUrl).pathname.slice(1);
  const server = serverAddresses().databaseUrl;
  const run = await prepareWebhookRun(stack, {
    ...{ scheme: 'hookline', random: seededRandom(7), exclusive: true },
    source,
    endpoint: { ...endpoint, retry: { base_seconds: 1, cap_seconds: 2 } },
    // Publishing or sending twice is excused by the restore.
    faults: [{ what: 'Postgres was restored', atMs: Date.now(), settledAtMs: Number.POSITIVE_INFINITY }],
  });
  try {
    const orders = (from: number, to: number): WebhookToSend[] =>
      Array.from({ length: to - from }, (_, index) => {
        const identity = `order-${from + index}`;
        const body = Buffer.from(
          JSON.stringify({ id: identity, type: 'order.paid', key: `customer-${(from + index) % keys}` }),
        );
        return { identity, body, headers: signAsHookline(run.source.secret, body, Math.floor(Date.now() / 1_000)) };
      });
    const takenBy = (name: string): number => {
      const ofEndpoint = run.receiver.arrivals.filter(({ endpointId }) => endpointId === run.endpointIds.get(name));
      return new Set(ofEndpoint.filter(({ answered }) => answered === 200).map(({ eventId }) => eventId)).size;
    };
    let patience = 0;
    run.receiver.react(({ name, body }) => {
      const isTaken = name === 'first' || patienceOf(JSON.parse(body.toString()) as { key: string }) <= patience;
      return { status: isTaken ? 200 : 503 };
    });

    await run.sendAll(orders(0, 60), perSecond);
    await waitUntil('the first are there', () => takenBy('first') === 60 && takenBy('second') === 20, {
      timeoutMs,
    });
    await stopAll();
    const instantMs = Date.now();
    await askPostgres(server, `CREATE DATABASE ${database}_backup TEMPLATE ${database}`);
    await startAll(pipelineServices);

    patience = 1;
    await run.sendAll([...orders(60, 120), ...orders(0, 20)], perSecond);
    await waitUntil('the others are there', () => takenBy('first') === 120 && takenBy('second') === 80, {
      timeoutMs,
    });
    const knownEvents = new Set(run.receiver.arrivals.map(({ eventId }) => eventId));
    expect(knownEvents.size).toBe(120);

    await stopAll();
    await askPostgres(
      server,
      `DROP DATABASE ${database}`,
      `CREATE DATABASE ${database} TEMPLATE ${database}_backup`,
      `DROP DATABASE ${database}_backup`,
    );
    const offsets = await connectKafkaOffsets(stack.kafkaBrokers);
    await recoverAsTheRunbookSays({
      ...{ pipeline, offsets, instantMs, start: startAll },
      flushRedis: () => flushRedisDatabase(pipeline.redisUrl),
    }).finally(() => offsets.close());

    // Senders repeat what they have sent, and send more.
    await run.sendAll([...orders(0, 120), ...orders(120, 140)], perSecond);
    patience = 2;
    const { text, tally, ledger } = await run.check(60_000);
    console.log(text);
    expect(tally).toEqual({});
    expect(ledger.eventsById.size).toBe(140);
    expect(knownEvents.isSubsetOf(new Set(ledger.eventsById.keys()))).toBe(true);
    const taken = run.receiver.arrivals.filter(({ answered }) => answered === 200);
    expect(sentAgain(taken)).toEqual([]);
    expect(taken).toHaveLength(2 * 140);
  } finally {
    await run.close();
  }
}

/** What arrived more than once at an endpoint, with the instants, so that they can be compared with the logs of the services. */
function sentAgain(taken: readonly Arrival[]): string[] {
  const byDelivery = Map.groupBy(taken, ({ endpointId, eventId }) => `${eventId} to ${endpointId}`);
  return [...byDelivery]
    .filter(([, arrivals]) => arrivals.length > 1)
    .map(
      ([delivery, arrivals]) =>
        `${delivery}: ${arrivals.map(({ attempt, atMs }) => `attempt ${attempt} at ${new Date(atMs).toISOString()}`).join(', ')}`,
    );
}
