/**
 * One connection to one broker, for the two requests that libs/kafka makes itself: produce and metadata. kafkajs opens it, authenticates, numbers
 * the requests and enforces their time limits; the bytes of requests and answers are ours. kafkajs's own producer sends to several brokers at
 * once, throws the first error of an answer, and drops what the same answer says about other partitions.
 */
import type { Kafka } from 'kafkajs';
import type { Exchange } from 'kafkajs/src/cluster/index.js';
import { ByteReader } from '../codec/wire-types.ts';
import { type ClusterMetadata, metadataBody, readMetadataResponse } from '../codec/metadata-request.ts';
import { type EncodedBatch, type PartitionAnswer, produceBody, readProduceResponse } from '../codec/produce-request.ts';
import { createInnerCluster } from '../kafkajs-patches/inner-cluster.ts';

export interface BrokerConnection {
  isOpen(): boolean;
  /**
   * Appends batches with acks=all, at most one per partition.
   *
   * @param timeoutMs how long the broker may wait for its followers; partitions whose followers lag get an error code
   * @returns the answers; nothing is known about a missing partition
   * @throws if the broker doesn't answer: the batches may be written or not
   */
  produce(batches: readonly EncodedBatch[], timeoutMs: number): Promise<PartitionAnswer[]>;
  /** Describes topics; a partition without a leader is no error. */
  metadata(topics: readonly string[]): Promise<ClusterMetadata>;
  close(): Promise<void>;
}

const apiKeys = { produce: 0, metadata: 3 };
/** Known to all brokers since 2.1. */
const produceVersion = 7;
/** Known to all brokers since 1.0. */
const metadataVersion = 4;

/** Connects to the first of the client's brokers that accepts. @throws as kafkajs does */
export async function connectBroker(client: Kafka): Promise<BrokerConnection> {
  const cluster = createInnerCluster(client);
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
