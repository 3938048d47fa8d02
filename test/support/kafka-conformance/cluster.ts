import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Admin, Kafka, logLevel, Partitioners, type Producer } from 'kafkajs';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { provideTools } from '#deploy/local/install/install.ts';
import { createKafka } from '#deploy/local/servers/kafka.ts';
import { createProcesses } from '#deploy/local/processes/processes.ts';
import { provideServerJars } from '#deploy/local/servers/servers.ts';
import { java } from '#deploy/local/install/tools.ts';
import { freeze } from '../freeze.ts';
import { type OrphanReaper, startOrphanReaper } from '../orphan-reaper.ts';
import { waitUntil } from '../wait-until.ts';
import { inTime } from './in-time.ts';

export interface StoredRecord {
  partition: number;
  offset: bigint;
  key: Buffer | null;
  value: Buffer;
  headers: Record<string, Buffer | Buffer[]>;
}

/** One or three brokers on loopback, and what a test does to them. Nothing of the client under test is used in here. */
export interface TestCluster {
  readonly brokers: string[];
  readonly brokerIds: readonly number[];
  readonly admin: Admin;
  /** `replicas[p]`: the brokers that hold partition p, its leader first. @returns the topic's full name */
  createTopic(name: string, replicas: readonly (readonly number[])[], config?: Record<string, string>): Promise<string>;
  leaders(topic: string): Promise<number[]>;
  /** Gives a partition other replicas and waits until the first of them leads it. */
  move(topic: string, partition: number, replicas: readonly number[]): Promise<void>;
  kill(id: number): Promise<void>;
  restart(id: number): Promise<void>;
  /** Stops it in its tracks (SIGSTOP): it keeps its connections and answers nothing. */
  freeze(id: number): Promise<void>;
  thaw(id: number): Promise<void>;
  /** Every record of a topic up to its present end, by the plain client. */
  readAll(topic: string): Promise<StoredRecord[]>;
  /** The offset after the last record, by partition. */
  ends(topic: string): Promise<number[]>;
  /** A group's committed offset by partition; -1 if there is none. */
  committed(groupId: string, topic: string): Promise<number[]>;
  /** Producer of the plain client, with the client's own defaults for all that matters here. */
  plainProducer(): Promise<Producer>;
  plainClient(): Kafka;
  stop(): Promise<void>;
}

/** With one broker, it holds every partition, whatever replicas a test asks for. */
export async function startTestCluster(prefix: string, brokerCount: 1 | 3): Promise<TestCluster> {
  const brokerIds = Array.from({ length: brokerCount }, (_, index) => index + 1);
  const dir = mkdtempSync(join(tmpdir(), 'hookline-kafka-'));
  const ports = await freePorts(2 * brokerIds.length);
  const say = (line: string): void => console.error(line);
  const programs = await provideTools({ java }, say);
  const jars = await provideServerJars(programs.java, say);
  const kafka = createKafka({
    dir,
    brokers: brokerIds.map((id, i) => ({ id, port: ports[2 * i] ?? 0, controllerPort: ports[2 * i + 1] ?? 0 })),
    processes: createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') }),
    java: programs.java,
    jars: jars.kafka,
  });
  const reaper: OrphanReaper = startOrphanReaper();
  const watch = (): void => {
    for (const id of brokerIds) {
      const pid = kafka.pid(id);
      if (pid !== undefined) reaper.watch(pid);
    }
  };
  await kafka.start();
  watch();

  const plainClient = (): Kafka =>
    new Kafka({ brokers: kafka.bootstrap, clientId: 'plain', connectionTimeout: 5_000, logLevel: logLevel.NOTHING });
  const admin = plainClient().admin();
  await admin.connect();

  async function leaders(topic: string): Promise<number[]> {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const partitions = topics[0]?.partitions ?? [];
    return [...partitions].sort((a, b) => a.partitionId - b.partitionId).map(({ leader }) => leader);
  }

  return {
    brokers: kafka.bootstrap,
    brokerIds,
    admin,
    async createTopic(name, asked, config = {}) {
      const replicas = asked.map((ids) => (brokerCount === 1 ? [1] : ids));
      const topic = `${prefix}${name}`;
      await admin.createTopics({
        // Kafkajs's own wait ends in an error where a broker has not heard of the topic yet.
        waitForLeaders: false,
        topics: [
          {
            topic,
            replicaAssignment: replicas.map((each, partition) => ({ partition, replicas: [...each] })),
            configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
          },
        ],
      });
      await waitUntil(
        `${topic} is led as asked`,
        async () => {
          const found = await leaders(topic).catch(() => []);
          return replicas.every(([leader], partition) => found[partition] === leader);
        },
        inTime,
      );
      return topic;
    },
    leaders,
    async move(topic, partition, replicas) {
      await admin.alterPartitionReassignments({
        topics: [{ topic, partitionAssignment: [{ partition, replicas: [...replicas] }] }],
      });
      await waitUntil(
        `${topic}/${partition} is led by ${replicas[0]}`,
        async () => (await leaders(topic).catch(() => []))[partition] === replicas[0],
        inTime,
      );
    },
    async kill(id) {
      const pid = kafka.pid(id);
      await kafka.kill(id);
      if (pid !== undefined) reaper.release(pid);
    },
    async restart(id) {
      await kafka.startBroker(id);
      watch();
    },
    freeze: (id) => freeze(kafka.pid(id)),
    thaw: (id) => kafka.kill(id, 'SIGCONT'),
    async ends(topic) {
      const ends = await endsOf(admin, topic);
      return ends.sort((a, b) => a.partition - b.partition).map(({ high }) => Number(high));
    },
    readAll: (topic) => readAll(plainClient(), admin, topic),
    async committed(groupId, topic) {
      // A coordinator that has just moved is asked at its old place.
      const [found] = await askUntilAnswered(`the offsets of ${groupId}`, () =>
        admin.fetchOffsets({ groupId, topics: [topic] }),
      );
      const partitions = [...(found?.partitions ?? [])].sort((a, b) => a.partition - b.partition);
      return partitions.map(({ offset }) => Number(offset));
    },
    plainClient,
    async plainProducer() {
      const producer = plainClient().producer({ createPartitioner: Partitioners.DefaultPartitioner });
      await producer.connect();
      return producer;
    },
    async stop() {
      await admin.disconnect();
      await Promise.all(brokerIds.map((id) => kafka.kill(id)));
      reaper.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A leader that has just moved is asked at its old place, and the plain client's admin does not retry. */
async function endsOf(admin: Admin, topic: string): ReturnType<Admin['fetchTopicOffsets']> {
  return askUntilAnswered(`the ends of ${topic}`, async () => {
    try {
      return await admin.fetchTopicOffsets(topic);
    } catch (error) {
      // It looks for the leaders again.
      await admin.fetchTopicMetadata({ topics: [topic] }).catch(() => undefined);
      throw error;
    }
  });
}

/** Asks again after every refusal: the plain client's admin gives up at the first. */
async function askUntilAnswered<T extends object>(what: string, ask: () => Promise<T>): Promise<T> {
  let refused: unknown;
  return waitUntil(
    `${what} are told`,
    async () => {
      try {
        return await ask();
      } catch (error) {
        refused = error;
        return undefined;
      }
    },
    { ...inTime, describe: () => String(refused) },
  );
}

async function readAll(client: Kafka, admin: Admin, topic: string): Promise<StoredRecord[]> {
  const ends = await endsOf(admin, topic);
  const behind = new Map(
    ends.filter(({ low, high }) => low !== high).map(({ partition, high }) => [partition, BigInt(high)]),
  );
  const records: StoredRecord[] = [];
  if (behind.size === 0) return records;
  const consumer = client.consumer({
    groupId: `${topic}-reader-${Date.now()}-${Math.random()}`,
    maxWaitTimeInMs: 50,
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  const { promise: read, resolve: done, reject } = Promise.withResolvers<void>();
  const limit = setTimeout(() => reject(new Error(`${topic} can't be read to its end within 60 s`)), 60_000);
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      for (const { offset, key, value, headers } of batch.messages) {
        records.push({
          partition: batch.partition,
          offset: BigInt(offset),
          key,
          value: value ?? Buffer.alloc(0),
          headers: (headers ?? {}) as StoredRecord['headers'],
        });
      }
      if (BigInt(batch.lastOffset()) + 1n >= (behind.get(batch.partition) ?? 0n)) behind.delete(batch.partition);
      if (behind.size === 0) done();
    },
  });
  await read.finally(() => clearTimeout(limit));
  await consumer.disconnect();
  return records;
}
