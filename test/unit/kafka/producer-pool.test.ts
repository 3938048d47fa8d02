import { Registry } from 'prom-client';
import { createProducerPool, type OutgoingRecord, type ProducerOptions } from '#lib/kafka';
import { createManualClock, silentLogger } from '#lib/runtime';
import type { EncodedBatch, PartitionAnswer } from '../../../libs/kafka/codec/produce-request.ts';
import type { BrokerConnection } from '../../../libs/kafka/producing/broker-connection.ts';
import { createSending } from '../../../libs/kafka/producing/sending.ts';
import { settle } from './fixtures.ts';

interface Request {
  connection: number;
  topics: string[];
  answer(): Promise<void>;
}

/** A cluster of one broker that answers produce requests when the test says so; its topics have one partition. */
function setUp() {
  const clock = createManualClock();
  const requests: Request[] = [];
  const connections: { clientId: string; isOpen: boolean; isBootstrap: boolean }[] = [];
  const written = ({ topic, partition }: EncodedBatch): PartitionAnswer => ({
    topic,
    partition,
    errorCode: 0,
    baseOffset: 7n,
  });
  const pool = createProducerPool({ clientId: 'hookline-serve', log: silentLogger }, (options) =>
    createSending(options, async ({ clientId, brokers }): Promise<BrokerConnection> => {
      const connection = { clientId, isOpen: true, isBootstrap: brokers[0] === 'boot:9092' };
      const number = connections.push(connection) - 1;
      return {
        isOpen: () => connection.isOpen,
        close: async () => void (connection.isOpen = false),
        metadata: async (topics) => ({
          addresses: new Map([[1, 'one:9092']]),
          topics: topics.map((name) => ({
            name,
            errorCode: 0,
            partitions: [{ id: 0, leader: 1, replicas: 3, inSync: 2 }],
          })),
        }),
        produce: (batches) =>
          new Promise((resolve) => {
            requests.push({
              connection: number,
              topics: batches.map(({ topic }) => topic),
              async answer() {
                resolve(batches.map(written));
                for (let turn = 0; turn < 4; turn += 1) await settle();
              },
            });
          }),
      };
    }),
  );

  async function join(topic: string, options: Partial<ProducerOptions> = {}, access: object = { identity: 'same' }) {
    const metrics = new Registry();
    const producer = pool({
      brokers: ['boot:9092'],
      clientId: `hookline-${topic}`,
      clock,
      log: silentLogger,
      metrics,
      topics: [topic],
      ...access,
      ...options,
    });
    const starting = producer.start();
    for (let step = 0; step < 5; step += 1) await clock.advance(100);
    await starting;
    const ends: string[] = [];
    const send = (more: Partial<OutgoingRecord> = {}): void => {
      const record = { topic, key: 'k', value: Buffer.from('v'), headers: {}, ...more };
      producer.send(record).then(
        ({ offset }) => ends.push(String(offset)),
        (error: { code: string }) => ends.push(error.code),
      );
    };
    const metric = async (name: string): Promise<string[]> =>
      (await metrics.getSingleMetricAsString(name)).split('\n').filter((line) => line.startsWith(`${name}{`));
    return { producer, send, ends, metric };
  }
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 6; turn += 1) await settle();
  };
  const open = (): number => connections.filter(({ isOpen, isBootstrap }) => isOpen && !isBootstrap).length;
  return { clock, requests, connections, join, turns, open };
}

describe('producers of services in one process', () => {
  it('send what they have at a moment in one request, and each has its own answer and metrics', async () => {
    const { requests, connections, join, turns, open } = setUp();
    const [a, b] = [await join('a'), await join('b')];
    a.send();
    b.send();
    await turns();
    expect(requests.map(({ topics }) => topics)).toEqual([['a', 'b']]);
    expect(open()).toBe(1);
    expect(new Set(connections.map(({ clientId }) => clientId))).toEqual(new Set(['hookline-serve']));
    expect([a.producer.pending().records, b.producer.pending().records]).toEqual([1, 1]);
    await requests[0]?.answer();
    expect([a.ends, b.ends]).toEqual([['7'], ['7']]);
    a.send();
    await turns();
    await requests[1]?.answer();
    const counted = 'hookline_kafka_produce_requests_total';
    expect(await a.metric(counted)).toContain(`${counted}{outcome="written"} 2`);
    expect(await b.metric(counted)).toContain(`${counted}{outcome="written"} 1`);
    const behind = 'hookline_kafka_under_replicated_partitions';
    expect(await a.metric(behind)).toEqual([`${behind}{topic="a"} 1`]);
    expect(await b.metric(behind)).toEqual([`${behind}{topic="b"} 1`]);
  });

  it('one that stops leaves the connections to the others, and ends no record but its own', async () => {
    const { clock, requests, join, turns, open } = setUp();
    const [a, b] = [await join('a', { flushTimeoutMs: 1_000 }), await join('b')];
    a.send();
    b.send();
    await turns();
    // These wait behind the request in flight.
    a.send();
    b.send();
    const stopped = a.producer.stop();
    await clock.advance(1_000);
    await stopped;
    expect([a.ends, b.ends]).toEqual([['kafka_unavailable', 'kafka_unavailable'], []]);
    expect(open()).toBe(1);
    await requests[0]?.answer();
    expect(requests.map(({ topics }) => topics)).toEqual([['a', 'b'], ['b']]);
    await requests[1]?.answer();
    expect(b.ends).toEqual(['7', '7']);
    expect(a.ends).toHaveLength(2);
    await b.producer.stop();
    expect(open()).toBe(0);
  });

  it('one that is built anew joins the others, knows its topics at once, and sends', async () => {
    const { requests, join, turns, open, connections } = setUp();
    const [a, b] = [await join('a'), await join('b')];
    await a.producer.stop();
    const before = connections.length;
    const again = await join('a');
    again.send();
    b.send();
    await turns();
    expect(requests.map(({ topics }) => topics)).toEqual([['a', 'b']]);
    expect([open(), connections.length]).toEqual([1, before]);
    const up = 'hookline_dependency_up';
    expect(await again.metric(up)).toEqual([`${up}{dependency="kafka"} 1`]);
  });

  it('have connections again after all had stopped', async () => {
    const { requests, join, turns, open } = setUp();
    await (await join('a')).producer.stop();
    expect(open()).toBe(0);
    const again = await join('a');
    again.send();
    await turns();
    expect([requests.length, open()]).toEqual([1, 1]);
  });

  it('have each its own bound, and its own time limit', async () => {
    const { clock, join } = setUp();
    const [a, b] = [await join('a', { maxPendingRecords: 2, deliveryTimeoutMs: 1_000 }), await join('b')];
    for (let n = 0; n < 3; n += 1) a.send();
    for (let n = 0; n < 3; n += 1) b.send();
    await settle();
    expect([a.ends, b.ends]).toEqual([['queue_full'], []]);
    await clock.advance(1_200);
    expect([a.ends, b.ends]).toEqual([['queue_full', 'kafka_unavailable', 'kafka_unavailable'], []]);
    expect([a.producer.pending().records, b.producer.pending().records]).toEqual([0, 3]);
    await clock.advance(30_000);
    expect(b.ends).toEqual(Array.from({ length: 3 }, () => 'kafka_unavailable'));
  });

  it('a request that one gives up is sent again for that one alone, by another connection', async () => {
    const { clock, requests, join, turns } = setUp();
    const [a, b] = [await join('a', { requestTimeoutMs: 5_000 }), await join('b')];
    a.send();
    b.send();
    await turns();
    await clock.advance(5_200);
    expect(requests.map(({ topics }) => topics)).toEqual([['a', 'b'], ['a']]);
    expect(requests[1]?.connection).not.toBe(requests[0]?.connection);
    await requests[1]?.answer();
    expect([a.ends, b.ends]).toEqual([['7'], []]);
    // The broker has only been slow: nothing of the other is on its topic twice.
    await clock.advance(4_000);
    await requests[0]?.answer();
    await clock.advance(5_000);
    expect([requests.length, a.ends, b.ends]).toEqual([2, ['7'], ['7']]);
  });

  it('share nothing with one of other access, other batches, or none that can be compared', async () => {
    const { requests, join, turns, open } = setUp();
    const all = [
      await join('a'),
      await join('b', {}, { identity: 'other' }),
      await join('c', { compression: 'gzip' }),
      await join('d', { maxBatchBytes: 100_000 }),
      await join('e', {}, {}),
    ];
    for (const { send } of all) send();
    await turns();
    expect(requests.map(({ topics }) => topics)).toEqual([['a'], ['b'], ['c'], ['d'], ['e']]);
    expect(open()).toBe(5);
  });
});
