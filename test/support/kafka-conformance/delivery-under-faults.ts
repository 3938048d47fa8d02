import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { OutgoingRecord, RecordPosition, RecordProducer } from '#lib/kafka';
import type { KafkaClient } from '../kafka-conformance.ts';
import { waitUntil } from '../wait-until.ts';
import { inTime } from './in-time.ts';
import type { StoredRecord, TestCluster } from './cluster.ts';
import { missingOf, sendAcrossMovedLeader, type SendAll } from './moved-leader.ts';
import { consumerOptions, keysByPartition, producerOptions, runningParts } from './setup.ts';

interface Sent {
  record: OutgoingRecord;
  position: RecordPosition | undefined;
}

const replicas = [
  [1, 2, 3],
  [2, 3, 1],
  [3, 1, 2],
  [1, 3, 2],
  [2, 1, 3],
  [3, 2, 1],
];

export function deliveryUnderFaults(client: KafkaClient, cluster: () => TestCluster): void {
  const run = runningParts();

  it('reads back every acknowledged record at its offset, byte for byte, after leaders moved and a broker was killed', async () => {
    const topic = await cluster().createTopic('faults', replicas);
    const producer = await run(
      client.createProducer(
        producerOptions(cluster().brokers, { topics: [topic], deliveryTimeoutMs: 25_000, requestTimeoutMs: 3_000 }),
      ),
    );
    const handled = new Set<string>();
    await run(
      client.createConsumer(
        consumerOptions({
          brokers: cluster().brokers,
          groupId: `${topic}-group`,
          topics: [topic],
          handle: async (records) => {
            // Done in reverse, and later.
            setImmediate(() => {
              for (const record of [...records].reverse()) {
                handled.add(`${record.partition}-${record.offset}`);
                record.done();
              }
            });
          },
        }),
      ),
    );

    const load = startLoad(producer, topic);
    await waitUntil('the load is under way', () => load.acknowledged() > 500, {
      ...inTime,
      describe: () => `${load.acknowledged()} acknowledged`,
    });
    for (const [partition, others] of [
      [0, [2, 3]],
      [1, [3, 1]],
    ] as const) {
      // Its leader has to leave for the leadership to move; it comes back as a follower.
      const leader = (await cluster().leaders(topic))[partition] ?? 1;
      await cluster().move(topic, partition, others);
      await cluster().move(topic, partition, [...others, leader]);
    }
    const victim = (await cluster().leaders(topic))[2] ?? 3;
    await cluster().kill(victim);
    await waitUntil(
      'the dead broker leads nothing',
      async () =>
        !(
          await cluster()
            .leaders(topic)
            .catch(() => [victim])
        ).includes(victim),
      { ...inTime, everyMs: 200 },
    );
    await cluster().restart(victim);
    const before = load.acknowledged();
    await waitUntil('records are acknowledged again', () => load.acknowledged() > before + 200, inTime);
    const sent = await load.stop();

    const stored = await cluster().readAll(topic);
    const byPlace = new Map(stored.map((record) => [`${record.partition}-${record.offset}`, record]));
    const acknowledged = sent.filter(({ position }) => position !== undefined);
    const lost = acknowledged.filter((each) => !standsAt(byPlace, each));
    const different = new Set(stored.map(({ value }) => value.toString('base64'))).size;
    console.log(
      `sent ${sent.length}, acknowledged ${acknowledged.length}, lost ${lost.length};` +
        ` on the topic ${stored.length}, ${stored.length - different} of them repeated`,
    );
    expect(lost).toHaveLength(0);
    expect(acknowledged.length).toBeGreaterThan(sent.length / 2);
    expect(keysOutOfOrder(acknowledged)).toEqual([]);

    const unhandled = (): string[] =>
      acknowledged.flatMap(({ position }) => {
        const place = `${position?.partition}-${position?.offset}`;
        return handled.has(place) ? [] : [place];
      });
    await waitUntil('the consumer has handled all of them', () => unhandled().length === 0, {
      ...inTime,
      describe: () => `not handled: ${unhandled().slice(0, 20).join(' ')}`,
    });
    const ends = await cluster().ends(topic);
    await waitUntil(
      'everything is committed',
      async () => isDeepStrictEqual(await cluster().committed(`${topic}-group`, topic), ends),
      inTime,
    );
  });

  it.each([
    { records: 'records with keys', keyed: true },
    { records: 'records without a key', keyed: false },
  ])(
    'writes $records once each, when the leader of one partition has moved to the broker that leads another',
    async ({ keyed }) => {
      const producer = await run(client.createProducer(producerOptions(cluster().brokers)));
      const sent = await sendAcrossMovedLeader(cluster(), `moved-${keyed}`, { keyed }, sendWith(producer));
      expect(sent.reported).toHaveLength(60);
      expect(missingOf(sent)).toEqual([]);
      expect([...sent.stored.values()].filter((times) => times > 1)).toEqual([]);
    },
  );

  it('holds up no other partition while one leader does not answer', async () => {
    const topic = await cluster().createTopic('frozen', [[1], [3]], { 'min.insync.replicas': '1' });
    const [atOne = '', atThree = ''] = keysByPartition(2);
    const options = { topics: [topic], deliveryTimeoutMs: 4_000, requestTimeoutMs: 5_000 };
    const producer = await run(client.createProducer(producerOptions(cluster().brokers, options)));
    const send = (key: string | null) => producer.send({ topic, key, value: Buffer.from('x'), headers: {} });
    const arrives = (key: string): Promise<boolean> => send(key).then(Boolean, () => false);
    await waitUntil(
      'both leaders take records',
      async () => (await arrives(atOne)) && (await arrives(atThree)),
      inTime,
    );

    await cluster().freeze(3);
    try {
      const stuck = send(atThree).catch((error: unknown) => error);
      const startedAtMs = performance.now();
      for (let i = 0; i < 50; i += 1) await send(atOne);
      expect(performance.now() - startedAtMs).toBeLessThan(3_500);
      // Records that may go anywhere go elsewhere, once it is known which leader is slow.
      await delay(knownSlowAfterMs);
      const free: Promise<unknown>[] = [];
      for (let i = 0; i < 20; i += 1) {
        free.push(send(null));
        await delay(10);
      }
      await Promise.all(free);
      expect(await stuck).toMatchObject({ code: 'kafka_unavailable', retryable: true });
    } finally {
      await cluster().thaw(3);
    }
    await waitUntil('the thawed leader takes records again', () => arrives(atThree), inTime);
  });
}

/** More than a leader may take before it is avoided. */
const knownSlowAfterMs = 300;

/** Some 400 records a second, three of four with one of ten keys, until it is stopped. */
function startLoad(producer: RecordProducer, topic: string): { acknowledged(): number; stop(): Promise<Sent[]> } {
  const sent: Sent[] = [];
  const ends: Promise<void>[] = [];
  let acknowledged = 0;
  let on = true;

  function sendOne(i: number): void {
    const each: Sent = {
      record: {
        topic,
        key: i % 4 === 0 ? null : `key-${i % 10}`,
        value: randomBytes(8 + randomInt(2_000)),
        headers: { number: String(i), twice: ['a', Buffer.from([0, 255])] },
      },
      position: undefined,
    };
    sent.push(each);
    const acknowledge = (position: RecordPosition): void => {
      each.position = position;
      acknowledged += 1;
    };
    ends.push(producer.send(each.record).then(acknowledge, () => undefined));
  }

  const sending = (async () => {
    for (let i = 0; on; i += 1) {
      sendOne(i);
      if (i % 4 === 0) await delay(10);
    }
  })();
  return {
    acknowledged: () => acknowledged,
    async stop() {
      on = false;
      await sending;
      await Promise.all(ends);
      return sent;
    },
  };
}

function standsAt(stored: ReadonlyMap<string, StoredRecord>, { record, position }: Sent): boolean {
  const found = stored.get(`${position?.partition}-${position?.offset}`);
  if (found === undefined || !found.value.equals(record.value)) return false;
  return (
    (found.key?.toString() ?? null) === record.key &&
    isDeepStrictEqual(found.headers, {
      number: Buffer.from(record.headers.number as string),
      twice: [Buffer.from('a'), Buffer.from([0, 255])],
    })
  );
}

/** Keys whose acknowledged records do not stand in the order of their sending. */
function keysOutOfOrder(acknowledged: readonly Sent[]): string[] {
  const byKey = Map.groupBy(
    acknowledged.filter(({ record }) => record.key !== null),
    ({ record }) => String(record.key),
  );
  const ordered = (each: readonly Sent[]): boolean =>
    each.every(({ position }, i) => i === 0 || (each[i - 1]?.position?.offset ?? 0n) < (position?.offset ?? 0n));
  return [...byKey].filter(([, each]) => !ordered(each)).map(([key]) => key);
}

const sendWith =
  (producer: RecordProducer): SendAll =>
  async (topic, records) => {
    const ends = await Promise.allSettled(
      records.map(({ key, value }) => producer.send({ topic, key, value: Buffer.from(value), headers: {} })),
    );
    return records.filter((_, i) => ends[i]?.status === 'fulfilled').map(({ value }) => value);
  };
