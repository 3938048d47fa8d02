import type { Socket } from 'node:net';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { type ConsumerOptions, createTopics } from '#lib/kafka';
import { silentLogger, systemClock } from '#lib/runtime';
import { type ClientOptions, createClient } from '../../../libs/kafka/client.ts';
import { createConsumer } from '../../../libs/kafka/consuming/rebuilding/supervised-consumer.ts';
import { createSocketFactory } from '../../../libs/kafka/kafkajs-patches/create-socket.ts';
import { consumerOptions, runningParts } from '../../support/kafka-conformance/setup.ts';
import { serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';

type SendRequest = (exchange: { request: { apiName: string } }) => Promise<unknown>;
const Broker = createRequire(import.meta.url)('kafkajs/src/broker/index.js') as {
  prototype: Record<symbol, SendRequest>;
};
/** A broker's client sends all requests by this method, kafkajs's and ours. */
const sendRequest = Object.getOwnPropertySymbols(Broker.prototype).find(
  ({ description }) => description === 'private:Broker:sendRequest',
)!;

/** From now on requests of these kinds are not sent, and end as `never` does. @returns how many were asked for */
function leaveUnanswered(kinds: readonly string[], never: Promise<never>, most = Number.POSITIVE_INFINITY) {
  const send = Broker.prototype[sendRequest]!;
  let asked = 0;
  jest.spyOn(Broker.prototype, sendRequest as never).mockImplementation(function (this: unknown, exchange) {
    if (asked >= most || !kinds.includes(exchange.request.apiName)) return send.call(this, exchange);
    asked += 1;
    return never;
  } as SendRequest as never);
  return () => asked;
}

const run = runningParts();
afterEach(() => jest.restoreAllMocks());

/** Longer than joining takes on a busy machine. */
const rebuildAfterMs = 8_000;

const brokers = (): string[] => [...serverAddresses().kafkaBrokers];

async function newTopic(name: string): Promise<string> {
  const topic = `${uniquePrefix('rebuild')}${name}`;
  await createTopics({ brokers: brokers() }, [{ name: topic, partitions: 1, replicationFactor: 1 }], {
    clock: systemClock,
    log: silentLogger,
  });
  return topic;
}

async function send(topic: string, value: string): Promise<void> {
  const producer = createClient({ brokers: brokers(), clientId: 'test', log: silentLogger }).producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ value }] });
  await producer.disconnect();
}

async function started(
  topic: string,
  options: Partial<Omit<ConsumerOptions, 'onUndecodable'>> = {},
  newClient = createClient,
) {
  const failures: Error[] = [];
  const values: string[] = [];
  const metrics = new Registry();
  const consumer = createConsumer(
    consumerOptions({
      brokers: brokers(),
      groupId: topic,
      topics: [topic],
      rebuildAfterMs,
      metrics,
      handle: async (records) => {
        for (const record of records) {
          values.push(record.value.toString());
          record.done();
        }
      },
      onFailure: (error) => failures.push(error),
      ...options,
    }),
    newClient,
  );
  await run(consumer);
  const rebuilds = async (): Promise<number> => {
    const { values: counted } = (await metrics.getSingleMetric('hookline_consumer_rebuilds_total')?.get()) ?? {
      values: [],
    };
    return counted.reduce((sum, { value }) => sum + value, 0);
  };
  return { consumer, failures, values, rebuilds };
}

/** A link that takes what is sent and brings nothing: no end, no error; for the clients made before, or for all. */
function silentLink() {
  let whose: 'nobody' | 'all before' | 'all' = 'nobody';
  const sockets = new Set<Socket>();
  let made = 0;
  let silencedUpTo = 0;
  const isSilent = (client: number): boolean => whose === 'all' || (whose === 'all before' && client <= silencedUpTo);
  const silence = (socket: Socket): void => {
    socket.pause();
    socket.write = () => true;
  };
  const owners = new Map<Socket, number>();
  return {
    newClient(options: ClientOptions) {
      made += 1;
      const client = made;
      const open = options.openSocket ?? createSocketFactory(undefined);
      return createClient({
        ...options,
        requestTimeoutMs: 2_000,
        openSocket(address) {
          const socket = open(address);
          sockets.add(socket);
          owners.set(socket, client);
          socket.once('close', () => sockets.delete(socket));
          if (isSilent(client)) silence(socket);
          return socket;
        },
      });
    },
    silence(which: 'all before' | 'all') {
      whose = which;
      silencedUpTo = made;
      for (const socket of sockets) if (isSilent(owners.get(socket) ?? 0)) silence(socket);
    },
    restore() {
      whose = 'nobody';
    },
  };
}

test('consumers are heard of though there is nothing to read, one without a partition included', async () => {
  const topic = await newTopic('idle');
  const both = [await started(topic), await started(topic)];
  await delay(2 * rebuildAfterMs);
  for (const { failures, consumer, rebuilds } of both)
    expect([failures, consumer.isReady(), await rebuilds()]).toEqual([[], true, 0]);
});

test('one whose client waits for what never comes is built anew, and reads on', async () => {
  const topic = await newTopic('lost');
  const { consumer, failures, values, rebuilds } = await started(topic);
  await send(topic, 'before');
  await waitUntil('it reads', () => values.includes('before'));
  // No error, no time-out, of one fetch alone.
  const { promise: never, reject: end } = Promise.withResolvers<never>();
  never.catch(() => undefined);
  const asked = leaveUnanswered(['Fetch'], never, 1);
  await waitUntil('it is asked', () => asked() > 0);
  await send(topic, 'after');
  await waitUntil('it is not ready', () => !consumer.isReady(), { timeoutMs: rebuildAfterMs });
  await waitUntil('it reads on', () => values.includes('after'), { timeoutMs: 5 * rebuildAfterMs });
  expect([failures, consumer.isReady(), await rebuilds()]).toEqual([[], true, 1]);
  end(new Error('it never came'));
});

test('one whose link has fallen silent, while others reach the broker, is built anew, and reads on', async () => {
  const topic = await newTopic('link');
  const link = silentLink();
  const { consumer, failures, values, rebuilds } = await started(topic, {}, link.newClient);
  await send(topic, 'before');
  await waitUntil('it reads', () => values.includes('before'));
  link.silence('all before');
  await send(topic, 'after');
  await waitUntil('it reads on', () => values.includes('after'), { timeoutMs: 4 * rebuildAfterMs });
  expect([failures, consumer.isReady(), await rebuilds()]).toEqual([[], true, 1]);
});

test('the third within five minutes ends the process', async () => {
  const topic = await newTopic('ends');
  const { failures, rebuilds, consumer } = await started(topic, { rebuildAfterMs: 4_000 });
  const never = new Promise<never>(() => undefined);
  leaveUnanswered(['Fetch', 'JoinGroup'], never);
  await waitUntil('it gives up', () => failures.length > 0);
  expect([await rebuilds(), failures.length, String(failures[0])]).toEqual([
    2,
    1,
    expect.stringContaining('is in doubt again'),
  ]);
  expect(consumer.holdsMembership()).toBe(false);
});

test('while Kafka is away for everybody nobody is built anew, however long, and then it reads on', async () => {
  const topic = await newTopic('away');
  const link = silentLink();
  const { consumer, failures, values, rebuilds } = await started(
    topic,
    { rebuildAfterMs: 4_000, coordinatorLimitMs: 1_000 },
    link.newClient,
  );
  await send(topic, 'before');
  await waitUntil('it reads', () => values.includes('before'));
  link.silence('all');
  await send(topic, 'after');
  await delay(20_000);
  expect([failures, await rebuilds(), consumer.isReady()]).toEqual([[], 0, false]);
  link.restore();
  await waitUntil('it reads on', () => values.includes('after'));
  expect(failures).toEqual([]);
});

test('one that is stopped while it is built anew stops in bounded time', async () => {
  const topic = await newTopic('stopped');
  const { consumer, failures, rebuilds } = await started(topic, { rebuildAfterMs: 4_000 });
  const never = new Promise<never>(() => undefined);
  leaveUnanswered(['Fetch', 'JoinGroup'], never);
  await waitUntil('it is built anew', async () => (await rebuilds()) > 0);
  const stoppingMs = performance.now();
  await consumer.stop();
  expect(performance.now() - stoppingMs).toBeLessThan(20_000);
  expect(failures).toEqual([]);
});
