/**
 * One connection to one broker, for the two requests that libs/kafka makes by itself: kafkajs opens it, authenticates, numbers the requests and
 * sees to their time limits; what is asked and what is answered is written and read here. kafkajs's own producer sends to several brokers
 * at once, throws the first error that an answer has, and drops what the same answer says of other partitions.
 *
 * It reaches into kafkajs 2.2.4, which is why that version is pinned exactly.
 */
import type { Kafka } from 'kafkajs';
import type { Cluster, Exchange } from 'kafkajs/src/cluster/index.js';
import { metadataMaxAgeMs } from '../client.ts';
import { ByteReader } from '../codec/byte-reader.ts';

/** The batch of a partition, encoded: see record-batch.ts. */
export interface EncodedBatch {
  topic: string;
  partition: number;
  bytes: Buffer;
}

/** The broker's answer for one partition of a produce request. */
export interface PartitionAnswer {
  topic: string;
  partition: number;
  /** 0 where there is none. */
  errorCode: number;
  /** -1 where nothing was appended. */
  baseOffset: bigint;
}

export interface ClusterMetadata {
  /** `host:port` by the broker's id. */
  addresses: ReadonlyMap<number, string>;
  topics: readonly TopicMetadata[];
}

export interface TopicMetadata {
  name: string;
  /** 0 where there is none. */
  errorCode: number;
  partitions: readonly {
    id: number;
    /** -1 where nobody leads it. */ leader: number;
    replicas: number;
    inSync: number;
  }[];
}

export interface BrokerConnection {
  isOpen(): boolean;
  /**
   * Appends batches, of each partition one at the most, with acks=all.
   *
   * @param timeoutMs what the broker may wait for its followers: it answers for the partitions whose followers lag with an error code
   * @returns the answers as they came: a partition that is missing is one of which nothing is known
   * @throws where the broker answers nothing: anything may have become of the batches
   */
  produce(batches: readonly EncodedBatch[], timeoutMs: number): Promise<PartitionAnswer[]>;
  /** Asks about these topics; a partition without a leader is no error. */
  metadata(topics: readonly string[]): Promise<ClusterMetadata>;
  close(): Promise<void>;
}

const acksOfAll = -1;
const apiKeys = { produce: 0, metadata: 3 };
/** Known to all brokers since 2.1. */
const produceVersion = 7;
/** Known to all brokers since 1.0. */
const metadataVersion = 4;

/** Connects to the first of the client's brokers that takes it. @throws as kafkajs does */
export async function connectBroker(client: Kafka): Promise<BrokerConnection> {
  const cluster = clusterOf(client);
  try {
    await cluster.connect();
  } catch (error) {
    void cluster.disconnect().catch(() => undefined);
    throw error;
  }
  const ask = <T>(exchange: Exchange<T>): Promise<T> => cluster.brokerPool.seedBroker.connectionPool.send(exchange);
  return {
    isOpen: () => cluster.isConnected(),
    async produce(batches, timeoutMs) {
      const { answers } = await ask({
        request: requestOf(apiKeys.produce, produceVersion, 'Produce', produceBody(batches, timeoutMs)),
        response: responseOf(readProduceResponse),
      });
      return answers;
    },
    async metadata(topics) {
      return ask({
        request: requestOf(apiKeys.metadata, metadataVersion, 'Metadata', metadataBody(topics)),
        response: responseOf(readMetadataResponse),
      });
    },
    close: () => cluster.disconnect(),
  };
}

/** kafkajs keeps the maker of its inner clients behind a symbol. */
function clusterOf(client: Kafka): Cluster {
  const symbol = Object.getOwnPropertySymbols(client).find(({ description }) => description === makerOfClusters);
  const create = symbol && (client as unknown as Record<symbol, (options: object) => Cluster>)[symbol];
  if (create === undefined) throw new TypeError('this is no client of kafkajs 2.2.4');
  return create({ metadataMaxAge: metadataMaxAgeMs, allowAutoTopicCreation: false, maxInFlightRequests: 1 });
}

const makerOfClusters = 'private:Kafka:createCluster';

const requestOf = (apiKey: number, apiVersion: number, apiName: string, body: Buffer): Exchange<never>['request'] => ({
  apiKey,
  apiVersion,
  apiName,
  encode: async () => ({ buf: body, buffer: body }),
});

const responseOf = <T extends object>(read: (reader: ByteReader) => T): Exchange<T>['response'] => ({
  decode: async (bytes) => read(new ByteReader(bytes)),
  parse: async (answer) => answer,
});

/** Produce request, version 7: https://kafka.apache.org/protocol#The_Messages_Produce */
export function produceBody(batches: readonly EncodedBatch[], timeoutMs: number): Buffer {
  const byTopic = [...Map.groupBy(batches, ({ topic }) => topic)];
  const head = Buffer.allocUnsafe(12);
  let at = head.writeInt16BE(-1, 0); // no transaction
  at = head.writeInt16BE(acksOfAll, at);
  at = head.writeInt32BE(timeoutMs, at);
  head.writeInt32BE(byTopic.length, at);
  const parts: Buffer[] = [head];
  for (const [topic, partitions] of byTopic) {
    parts.push(text(topic), int32(partitions.length));
    for (const { partition, bytes } of partitions) parts.push(int32(partition), int32(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

/** Produce response, version 7. */
export function readProduceResponse(reader: ByteReader): {
  answers: PartitionAnswer[];
  clientSideThrottleTime: number;
} {
  const topics = reader.list(() => {
    const topic = reader.text(reader.int16());
    return reader.list((): PartitionAnswer => {
      const answer = {
        topic,
        partition: reader.int32(),
        errorCode: reader.int16(),
        baseOffset: reader.int64(),
      };
      reader.int64(); // when it was appended
      reader.int64(); // where the log begins
      return answer;
    });
  });
  // The broker did not wait: it asks the client to (KIP-219), which kafkajs does by this name.
  return { answers: topics.flat(), clientSideThrottleTime: reader.int32() };
}

/** Metadata request, version 4: https://kafka.apache.org/protocol#The_Messages_Metadata */
export function metadataBody(topics: readonly string[]): Buffer {
  const withoutCreation = Buffer.from([0]);
  return Buffer.concat([int32(topics.length), ...topics.map(text), withoutCreation]);
}

/** Metadata response, version 4. */
export function readMetadataResponse(reader: ByteReader): ClusterMetadata & { clientSideThrottleTime: number } {
  const clientSideThrottleTime = reader.int32();
  const brokers = reader.list((): [number, string] => {
    const id = reader.int32();
    const address = `${reader.text(reader.int16())}:${reader.int32()}`;
    nullableText(reader); // its rack
    return [id, address];
  });
  nullableText(reader); // the cluster's id
  reader.int32(); // the controller
  const topics = reader.list((): TopicMetadata => {
    const errorCode = reader.int16();
    const name = reader.text(reader.int16());
    reader.int8(); // whether it is one of Kafka's own
    const partitions = reader.list(() => {
      reader.int16(); // an error: no leader, or a replica that is away
      const [id, leader] = [reader.int32(), reader.int32()];
      const replicas = reader.list(() => reader.int32()).length;
      const inSync = reader.list(() => reader.int32()).length;
      return { id, leader, replicas, inSync };
    });
    return { name, errorCode, partitions };
  });
  return { addresses: new Map(brokers), topics, clientSideThrottleTime };
}

function nullableText(reader: ByteReader): string | undefined {
  const length = reader.int16();
  return length < 0 ? undefined : reader.text(length);
}

function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.allocUnsafe(2);
  length.writeInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
