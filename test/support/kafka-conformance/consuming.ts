import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Registry } from 'prom-client';
import type { IncomingRecord } from '#lib/kafka';
import type { KafkaClient } from '../kafka-conformance.ts';
import { seriesOf } from '../series.ts';
import { waitUntil } from '../wait-until.ts';
import { inTime } from './in-time.ts';
import type { TestCluster } from './cluster.ts';
import { consumerOptions, placeOf, runningParts } from './setup.ts';

export function consuming(client: KafkaClient, cluster: () => TestCluster): void {
  const run = runningParts();

  /** Writes so many records to each partition of a new topic; the value is the number within its partition. */
  async function filledTopic(name: string, counts: readonly number[], bytes = 0): Promise<string> {
    const replicas = counts.map((_, i) => [0, 1, 2].map((n) => ((i + n) % 3) + 1));
    const topic = await cluster().createTopic(name, replicas, { 'max.message.bytes': '2097152' });
    await fill(topic, counts, bytes);
    return topic;
  }

  async function fill(topic: string, counts: readonly number[], bytes = 0): Promise<void> {
    const producer = await cluster().plainProducer();
    for (const [partition, count] of counts.entries()) {
      const perRequest = bytes > 100_000 ? 1 : 500;
      for (let from = 0; from < count; from += perRequest) {
        const numbers = Array.from({ length: Math.min(perRequest, count - from) }, (_, i) => from + i);
        const messages = numbers.map((n) => ({ partition, value: Buffer.from(String(n).padEnd(bytes)) }));
        await producer.send({ topic, messages });
      }
    }
    await producer.disconnect();
  }

  const isCommitted = (groupId: string, topic: string, offsets: readonly (number | undefined)[]) => async () => {
    const committed = await cluster().committed(groupId, topic);
    return offsets.every((offset, partition) => offset === undefined || committed[partition] === offset);
  };

  it('hands out key, value and headers as they were written', async () => {
    const topic = await cluster().createTopic('as-written', [[1, 2, 3]]);
    const producer = await cluster().plainProducer();
    const value = Buffer.from([0, 255, 1, 254]);
    await producer.send({
      topic,
      messages: [{ key: Buffer.from([200]), value, headers: { one: 'é', two: ['a', 'b'] } }],
    });
    await producer.disconnect();
    const records: IncomingRecord[] = [];
    const handle = async (batch: readonly IncomingRecord[]): Promise<void> => void records.push(...batch);
    await run(
      client.createConsumer(consumerOptions({ brokers: cluster().brokers, groupId: topic, topics: [topic], handle })),
    );
    await waitUntil('the record has come', () => records.length > 0, inTime);
    expect(records[0]).toMatchObject({ topic, partition: 0, offset: 0n, key: Buffer.from([200]), value });
    expect(records[0]?.headers).toEqual({ one: 'é', two: 'b' });
    expect(records[0]?.rawHeaders).toEqual({ one: Buffer.from('é'), two: [Buffer.from('a'), Buffer.from('b')] });
  });

  it('tells where a partition’s log ends before its first record is handed out', async () => {
    const topic = await filledTopic('first-read', [700]);
    const told: string[] = [];
    const handle = async (records: readonly IncomingRecord[]): Promise<void> =>
      void told.push(`record ${records[0]?.offset}`);
    await run(
      client.createConsumer({
        ...consumerOptions({ brokers: cluster().brokers, groupId: topic, topics: [topic], handle }),
        onFirstRead: ({ partition }, endOffset) => told.push(`${partition} ends at ${endOffset}`),
      }),
    );
    await waitUntil('two batches have come', () => told.length > 2, inTime);
    expect(told).toEqual(['0 ends at 700', 'record 0', 'record 500']);
  });

  it('commits up to the lowest record that is not done, and lets neither its neighbours nor other partitions wait for it', async () => {
    const topic = await filledTopic('poison', [100, 100]);
    let poison: IncomingRecord | undefined;
    const done = [0, 0];
    const handle = async (records: readonly IncomingRecord[]): Promise<void> => {
      for (const record of [...records].reverse()) {
        if (record.partition === 0 && record.offset === 7n) {
          poison = record;
          continue;
        }
        done[record.partition] = (done[record.partition] ?? 0) + 1;
        record.done();
      }
    };
    await run(
      client.createConsumer(consumerOptions({ brokers: cluster().brokers, groupId: topic, topics: [topic], handle })),
    );
    await waitUntil('all but the poison are done', () => done[0] === 99 && done[1] === 100, inTime);
    await waitUntil('what may be committed is', isCommitted(topic, topic, [7, 100]), inTime);
    // A commit of the other partition also commits what is due in this one.
    await fill(topic, [0, 50]);
    await waitUntil('the other partition goes on', isCommitted(topic, topic, [undefined, 150]), inTime);
    expect(await cluster().committed(topic, topic)).toEqual([7, 150]);
    poison?.done();
    poison?.done();
    await waitUntil('the rest is committed', isCommitted(topic, topic, [100, 150]), inTime);
  });

  it('holds no more than its bounds while a handler is slow, and reads on at once when it is not', async () => {
    const megabyte = 1024 * 1024;
    // The largest body that is accepted, and its headers' worth.
    const topic = await filledTopic('backlog', [60], megabyte + 10_000);
    const gate = Promise.withResolvers<void>();
    let most = 0;
    let out = 0;
    let finished = 0;
    const handle = async (records: readonly IncomingRecord[]): Promise<void> => {
      out += records.length;
      most = Math.max(most, out);
      void gate.promise.then(() => {
        for (const record of records) record.done();
        out -= records.length;
        finished += records.length;
      });
    };
    const before = await keptInBuffers();
    await run(
      client.createConsumer(
        consumerOptions({
          brokers: cluster().brokers,
          groupId: topic,
          topics: [topic],
          handle,
          maxQueuedBytes: 4 * megabyte,
          maxOutstanding: 5,
          maxBatchRecords: 3,
        }),
      ),
    );
    await waitUntil('the bound is reached', () => out === 5, inTime);
    // Time enough to read all of the topic many times over.
    await delay(1_000);
    const kept = (await keptInBuffers()) - before;
    expect(most).toBe(5);
    console.log(`60 records of 1 MiB wait on the topic, ${Math.round(kept / megabyte)} MiB in memory`);
    expect(kept).toBeLessThan(30 * megabyte);
    const releasedAtMs = performance.now();
    gate.resolve();
    await waitUntil('the rest is read', () => finished === 60, inTime);
    expect(performance.now() - releasedAtMs).toBeLessThan(10_000);
  });

  it('goes on where it stopped', async () => {
    const topic = await filledTopic('restart', [300]);
    const seen: bigint[] = [];
    const options = (limit: number) =>
      consumerOptions({
        brokers: cluster().brokers,
        groupId: topic,
        topics: [topic],
        maxBatchRecords: 10,
        handle: async (records) => {
          for (const record of records) {
            if (seen.length >= limit) return;
            seen.push(record.offset);
            record.done();
          }
        },
      });
    const first = await run(client.createConsumer({ ...options(120), stopDrainMs: 100 }));
    await waitUntil('some are done', () => seen.length === 120, inTime);
    await first.stop();
    expect(await cluster().committed(topic, topic)).toEqual([120]);
    await run(client.createConsumer(options(300)));
    await waitUntil('the rest is done', () => seen.length === 300, inTime);
    expect(seen).toEqual(Array.from({ length: 300 }, (_, i) => BigInt(i)));
  });

  it('keeps its membership while every partition is paused by a handler that waits for longer than the session lasts', async () => {
    const topic = await filledTopic('waiting', [50, 50]);
    const gate = Promise.withResolvers<void>();
    const assigned: string[] = [];
    let revoked = 0;
    let done = 0;
    await run(
      client.createConsumer(
        consumerOptions({
          brokers: cluster().brokers,
          groupId: topic,
          topics: [topic],
          maxBatchRecords: 1,
          maxQueuedRecords: 1,
          onAssigned: (partitions) => assigned.push(...partitions.map(placeOf)),
          onRevoked: () => (revoked += 1),
          handle: async (records) => {
            await gate.promise;
            for (const record of records) record.done();
            done += records.length;
          },
        }),
      ),
    );
    await waitUntil('partitions are assigned', () => assigned.length === 2, inTime);
    const member = async (): Promise<string> => {
      const { groups } = await cluster().admin.describeGroups([topic]);
      return groups.flatMap(({ state, members }) => members.map(({ memberId }) => `${state} ${memberId}`)).join();
    };
    const before = await member();
    // Twice the session.
    await delay(12_500);
    expect(await member()).toBe(before);
    expect(revoked).toBe(0);
    gate.resolve();
    await waitUntil('all are done', () => done === 100, inTime);
    await waitUntil('all are committed', isCommitted(topic, topic, [50, 50]), inTime);
  });

  it('says that it has failed when a handler throws', async () => {
    const topic = await filledTopic('throws', [1]);
    const failures: Error[] = [];
    await run(
      client.createConsumer(
        consumerOptions({
          brokers: cluster().brokers,
          groupId: topic,
          topics: [topic],
          handle: async () => {
            throw new TypeError('fetch failed');
          },
          onFailure: (error) => failures.push(error),
        }),
      ),
    );
    await waitUntil('it has failed', () => failures.length > 0, inTime);
    expect(failures).toMatchObject([{ cause: new TypeError('fetch failed') }]);
    // Nothing is, or the place where it began, if that long had passed.
    const [committed] = await cluster().committed(topic, topic);
    expect(committed).toBeLessThanOrEqual(0);
  });

  it('measures its lag from what the brokers say, paused partitions included', async () => {
    const topic = await filledTopic('lag', [500, 0]);
    const metrics = new Registry();
    const gate = Promise.withResolvers<void>();
    await run(
      client.createConsumer(
        consumerOptions({
          brokers: cluster().brokers,
          groupId: topic,
          topics: [topic],
          metrics,
          lagIntervalMs: 200,
          maxBatchRecords: 10,
          maxQueuedRecords: 10,
          handle: async (records) => {
            for (const record of records) record.done();
            await gate.promise;
          },
        }),
      ),
    );
    const lag = async (): Promise<string> => {
      const metric = await metrics.getSingleMetric('hookline_consumer_lag_records')?.get();
      return (metric?.values ?? [])
        .map(({ labels, value }) => `${labels.partition}: ${value}`)
        .sort()
        .join(', ');
    };
    await waitUntil('the lag is all but the first ten', async () => (await lag()) === '0: 490, 1: 0', inTime);
    const behindSeconds = async (): Promise<number | undefined> =>
      (await seriesOf(metrics, 'hookline_consumer_lag_seconds'))[`group="${topic}",topic="${topic}",partition="0"`];
    await waitUntil('the oldest record is a second old', async () => ((await behindSeconds()) ?? 0) > 1, inTime);
    expect(await behindSeconds()).toBeLessThan(60);
    gate.resolve();
    await waitUntil('there is no lag', async () => (await lag()) === '0: 0, 1: 0', inTime);
    await waitUntil('nothing is behind', async () => (await behindSeconds()) === 0, inTime);
    expect(await seriesOf(metrics, 'hookline_consumer_joins_total')).toEqual({ [`group="${topic}"`]: 1 });
    expect(await seriesOf(metrics, 'hookline_dependency_up')).toEqual({ 'dependency="kafka"': 1 });
  });
}

/** The size of this process's buffers. Garbage goes with a delay, so the least of a second is what is really kept. */
async function keptInBuffers(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  let least = Infinity;
  for (let i = 0; i < 10; i += 1) {
    collectGarbage();
    await delay(100);
    least = Math.min(least, process.memoryUsage().arrayBuffers);
  }
  return least;
}
