import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { IncomingRecord, RecordConsumer, RecordHandler } from '#lib/kafka';
import type { KafkaClient } from '../kafka-conformance.ts';
import { waitUntil } from '../wait-until.ts';
import { inTime } from './in-time.ts';
import type { TestCluster } from './cluster.ts';
import { consumerOptions, placeOf, runningParts } from './setup.ts';

const replicas = [
  [1, 2, 3],
  [2, 3, 1],
  [3, 1, 2],
  [1, 3, 2],
];

export function rebalancing(client: KafkaClient, cluster: () => TestCluster): void {
  const run = runningParts();

  const member = (topic: string, handle: RecordHandler, revoked: string[] = []): RecordConsumer =>
    client.createConsumer(
      consumerOptions({
        brokers: cluster().brokers,
        groupId: topic,
        topics: [topic],
        handle,
        rebalanceDrainMs: 300,
        onRevoked: (partitions) => revoked.push(...partitions.map(placeOf)),
      }),
    );

  async function write(topic: string, partition: number, from: number, count: number): Promise<void> {
    const producer = await cluster().plainProducer();
    const values = Array.from({ length: count }, (_, i) => String(from + i));
    await producer.send({ topic, messages: values.map((value) => ({ partition, value })) });
    await producer.disconnect();
  }

  const has = (consumer: RecordConsumer, count: number) => () => consumer.partitions().length === count;

  it('never rewinds a partition that it has lost, when its records are done late', async () => {
    const topic = await cluster().createTopic('late', replicas);
    for (const partition of replicas.keys()) await write(topic, partition, 0, 20);
    const held: IncomingRecord[] = [];
    const aborted = new Set<string>();
    const revoked: string[] = [];
    // Everything is done but the first record of each partition.
    const first = await run(
      member(
        topic,
        async (records) => {
          for (const record of records) {
            record.signal.addEventListener('abort', () => aborted.add(placeOf(record)));
            if (record.offset === 0n) held.push(record);
            else record.done();
          }
        },
        revoked,
      ),
    );
    await waitUntil('a record of each partition is held', () => held.length === 4, inTime);

    const second = await run(
      member(topic, async (records) => {
        for (const record of records) record.done();
      }),
    );
    await waitUntil('the partitions are shared', () => has(second, 2)() && has(first, 2)(), inTime);
    const lost = second.partitions().map(({ partition }) => partition);
    const kept = first.partitions().map(({ partition }) => partition);
    await waitUntil(
      'the new owner has committed what it gained',
      async () => {
        const committed = await cluster().committed(topic, topic);
        return lost.every((partition) => committed[partition] === 20);
      },
      inTime,
    );
    expect([...aborted].sort()).toEqual(second.partitions().map(placeOf).sort());
    expect(revoked.sort()).toEqual(second.partitions().map(placeOf).sort());

    for (const record of held) record.done();
    // The kept partitions' commit shows that one came after the late results; it would have taken the lost ones along.
    await waitUntil(
      'what it kept is committed',
      async () => {
        const committed = await cluster().committed(topic, topic);
        return kept.every((partition) => committed[partition] === 20);
      },
      inTime,
    );
    expect(await cluster().committed(topic, topic)).toEqual([20, 20, 20, 20]);
  });

  it('hands no record of a kept partition out twice', async () => {
    const topic = await cluster().createTopic('kept', replicas);
    for (const partition of replicas.keys()) await write(topic, partition, 0, 200);
    const times = new Map<string, number>();
    const gate = Promise.withResolvers<void>();
    const first = await run(
      member(topic, async (records) => {
        for (const record of records) {
          const place = `${record.partition}-${record.offset}`;
          times.set(place, (times.get(place) ?? 0) + 1);
        }
        void gate.promise.then(() => records.forEach((record) => record.done()));
      }),
    );
    await waitUntil('all are in work', () => times.size === 800, inTime);
    const second = await run(member(topic, async (records) => records.forEach((record) => record.done())));
    await waitUntil('the partitions are shared', () => has(second, 2)() && has(first, 2)(), inTime);
    gate.resolve();
    const kept = first.partitions().map(({ partition }) => partition);
    for (const partition of kept) await write(topic, partition, 200, 10);
    await waitUntil(
      'all is committed',
      async () => {
        const committed = await cluster().committed(topic, topic);
        return replicas.keys().every((partition) => committed[partition] === (kept.includes(partition) ? 210 : 200));
      },
      inTime,
    );
    expect([...times].filter(([, count]) => count > 1)).toEqual([]);
    expect(times.size).toBe(820);
  });

  it('gives handlers a moment to finish before the partitions move on', async () => {
    const topic = await cluster().createTopic('drain', replicas);
    for (const partition of replicas.keys()) await write(topic, partition, 0, 1);
    const handled: string[] = [];
    let started = 0;
    const release = Promise.withResolvers<void>();
    const handle = async (records: readonly IncomingRecord[]): Promise<void> => {
      started += records.length;
      await release.promise;
      for (const record of records) {
        handled.push(placeOf(record));
        record.done();
      }
    };
    const first = await run(
      client.createConsumer({
        ...consumerOptions({ brokers: cluster().brokers, groupId: topic, topics: [topic], handle }),
        rebalanceDrainMs: 20_000,
      }),
    );
    await waitUntil('all are in work', () => started === 4, inTime);
    const second = member(topic, handle);
    const joined = run(second);
    // The group is waiting for the first member, which is waiting for its handlers.
    await waitUntil(
      'the group is rebalancing',
      async () => (await cluster().admin.describeGroups([topic])).groups[0]?.state === 'PreparingRebalance',
      inTime,
    );
    // It still has them, but new work may outlast the membership.
    await waitUntil('the first one has heard of it', () => !first.holdsMembership(), inTime);
    await delay(1_000);
    expect([second.partitions(), first.partitions().length, first.holdsMembership()]).toEqual([[], 4, false]);
    release.resolve();
    await joined;
    await waitUntil('the partitions are shared', () => has(second, 2)() && has(first, 2)(), inTime);
    await waitUntil(
      'all is committed',
      async () => (await cluster().committed(topic, topic)).every((offset) => offset === 1),
      inTime,
    );
    expect(handled.sort()).toEqual(replicas.map((_, partition) => `${topic}/${partition}`));
  });

  it('is sure of its partitions while it hears from the group, and never while another is', async () => {
    const topic = await cluster().createTopic('sure', replicas);
    const done: RecordHandler = async (records) => records.forEach((record) => record.done());
    const first = member(topic, done);
    const second = member(topic, done);
    const sureOf = (consumer: RecordConsumer): string[] =>
      consumer.holdsMembership() ? consumer.partitions().map(placeOf) : [];
    const both: string[] = [];
    const watch = setInterval(() => {
      const ofSecond = new Set(sureOf(second));
      both.push(...sureOf(first).filter((place) => ofSecond.has(place)));
    }, 5);
    try {
      expect(first.holdsMembership()).toBe(false);
      await run(first);
      await waitUntil('the first is sure of all', () => sureOf(first).length === 4, inTime);
      await run(second);
      const isShared = () => sureOf(first).length === 2 && sureOf(second).length === 2;
      await waitUntil('each is sure of its half', isShared, inTime);
      await first.stop();
      expect(first.holdsMembership()).toBe(false);
      await waitUntil('the second is sure of all', () => sureOf(second).length === 4, inTime);
    } finally {
      clearInterval(watch);
    }
    expect(both).toEqual([]);
  });

  it('loses no record while members come and go under load', async () => {
    const topic = await cluster().createTopic('come-and-go', replicas);
    const seen = new Set<string>();
    let handled = 0;
    const handle: RecordHandler = async (records) => {
      for (const record of [...records].reverse()) {
        seen.add(`${record.partition}-${record.offset}`);
        handled += 1;
        setTimeout(() => record.done(), Math.random() * 30);
      }
    };
    const producer = await cluster().plainProducer();
    let on = true;
    const load = (async () => {
      while (on) {
        for (const partition of replicas.keys()) {
          // One by one: over several brokers this client may lose some without a word. A record that it can't write is not expected.
          const messages = Array.from({ length: 10 }, () => ({ partition, value: 'x' }));
          await producer.send({ topic, messages }).catch(() => undefined);
        }
        await delay(20);
      }
    })();
    const first = await run(member(topic, handle));
    await waitUntil('records are handled', () => handled > 200, inTime);
    for (let round = 0; round < 2; round += 1) {
      const second = await run(member(topic, handle));
      await waitUntil('the partitions are shared', () => has(second, 2)() && has(first, 2)(), inTime);
      const before = handled;
      await waitUntil('records are handled by both', () => handled > before + 200, inTime);
      await second.stop();
      await waitUntil('the first has all again', has(first, 4), inTime);
    }
    on = false;
    await load;
    await producer.disconnect();
    const ends = await cluster().ends(topic);
    const written = ends.flatMap((end, partition) => Array.from({ length: end }, (_, i) => `${partition}-${i}`));
    const unseen = (): string[] => written.filter((place) => !seen.has(place));
    await waitUntil('all are seen', () => unseen().length === 0, {
      ...inTime,
      describe: () => `of ${written.length} not seen: ${unseen().slice(0, 20).join(' ')}`,
    });
    await waitUntil(
      'all is committed',
      async () => isDeepStrictEqual(await cluster().committed(topic, topic), ends),
      inTime,
    );
    console.log(`written ${written.length}, handled ${handled}, ${handled - written.length} of them again`);
  });
}
