import { explain } from '../faults/checker/explain.ts';
import { arrivalsAreWhatWasSent } from '../faults/checker/rules/arrived.ts';
import { askPostgres } from '../support/with-database.ts';
import { connectKafkaOffsets } from '../support/kafka-offsets.ts';
import { flushRedisDatabase } from '../support/flush-redis.ts';
import { seededRandom } from '../support/seeded-random.ts';
import type { WebhookToSend } from '../support/sender.ts';
import { serverAddresses } from '../support/servers.ts';
import { signAsHookline } from '../support/sign-webhook.ts';
import { pipelineServices } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { recoverAsTheRunbookSays } from '../faults/rehearsals/runbook-restore.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';
import { prepareWebhookRun } from './webhook-run.ts';

const timeoutMs = 180_000;
const perSecond = 60;

const keys = 21;
/**
 * They are named after the time from which they take what they are sent: at once, after the instant to be restored to, in the end. Until
 * then they refuse all of it. An endpoint that took some and refused some would be held for one that is down, and tried less and less often.
 */
const endpointNames = ['at-once', 'later', 'last'];

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
    scheme: 'hookline',
    random: seededRandom(7),
    exclusive: true,
    source,
    endpointNames,
    endpoint: { ...endpoint, retry: { base_seconds: 1, cap_seconds: 2 } },
    // Publishing twice is excused by the restore.
    faults: [{ what: 'Postgres was restored', atMs: Date.now(), settledAtMs: Number.POSITIVE_INFINITY }],
  });
  try {
    const orders = (from: number, to: number): WebhookToSend[] =>
      Array.from({ length: to - from }, (_, index) => {
        const number = from + index;
        const identity = `order-${number}`;
        const body = Buffer.from(
          JSON.stringify({ id: identity, type: 'order.paid', key: `customer-${number % keys}` }),
        );
        return { identity, body, headers: signAsHookline(run.source.secret, body, Math.floor(Date.now() / 1_000)) };
      });
    const taken = (name: string): number => {
      const ofEndpoint = run.receiver.arrivals.filter(({ endpointId }) => endpointId === run.endpointIds.get(name));
      return new Set(ofEndpoint.filter(({ answered }) => answered === 200).map(({ eventId }) => eventId)).size;
    };
    const taking = new Set(['at-once']);
    run.receiver.react(({ name }) => ({ status: taking.has(name) ? 200 : 503 }));

    await run.sendAll(orders(0, 60), perSecond);
    await waitUntil('the first are there', () => taken('at-once') === 60, { timeoutMs });
    await stopAll();
    const instantMs = Date.now();
    await askPostgres(server, `CREATE DATABASE ${database}_backup TEMPLATE ${database}`);
    await startAll(pipelineServices);

    taking.add('later');
    await run.sendAll([...orders(60, 120), ...orders(0, 20)], perSecond);
    await waitUntil('the others are there', () => taken('at-once') === 120 && taken('later') === 120, { timeoutMs });
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
      pipeline,
      offsets,
      instantMs,
      start: startAll,
      flushRedis: () => flushRedisDatabase(pipeline.redisUrl),
      // oxlint-disable-next-line typescript/no-misused-promises
    }).finally(() => offsets.close());

    // Senders repeat what they have sent, and send more.
    await run.sendAll([...orders(0, 120), ...orders(120, 140)], perSecond);
    taking.add('last');
    const { text, tally, ledger } = await run.check(timeoutMs);
    console.log(text);
    expect(tally).toEqual({});
    expect(ledger.eventsById.size).toBe(140);
    expect(knownEvents.isSubsetOf(new Set(ledger.eventsById.keys()))).toBe(true);
    const repeats = arrivalsAreWhatWasSent({ ...ledger, history: { ...ledger.history, faults: [] } });
    expect(repeats.flatMap(({ subject, says }) => [says, ...explain(ledger, subject)])).toEqual([]);
  } finally {
    await run.close();
  }
}
