/**
 * Decodes fetch responses in one pass (codec/read-record-batches.ts). A batch that can't be decoded is one of its messages, and so fails neither
 * the others nor the response. Everything else about fetching is kafkajs's.
 */
import fetchResponse, {
  type FetchResponse,
  type PartitionResponse,
} from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { ByteReader } from '../codec/byte-reader.ts';
import type { FetchedMessage } from '../codec/fetched-batch.ts';
import { readRecordBatches } from '../codec/read-record-batches.ts';

export function decodeFetchesInOnePass(): void {
  fetchResponse.decode = async (bytes) => decodeFetchResponse(bytes);
}

/** Fetch response, version 11, which all brokers since 2.3 know: https://kafka.apache.org/protocol#The_Messages_Fetch */
export function decodeFetchResponse(bytes: Buffer): FetchResponse {
  const reader = new ByteReader(bytes);
  const records = (): FetchedMessage[] => {
    const length = reader.int32();
    return length <= 0 ? [] : readRecordBatches(reader.view(length));
  };
  const partition = (): PartitionResponse => ({
    partition: reader.int32(),
    errorCode: reader.int16(),
    highWatermark: String(reader.int64()),
    lastStableOffset: String(reader.int64()),
    lastStartOffset: String(reader.int64()),
    abortedTransactions: reader.list(() => ({
      producerId: String(reader.int64()),
      firstOffset: String(reader.int64()),
    })),
    preferredReadReplica: reader.int32(),
    messages: records(),
  });
  return {
    // The broker does not delay a throttled answer: it asks the client to wait (KIP-219).
    throttleTime: 0,
    clientSideThrottleTime: reader.int32(),
    errorCode: reader.int16(),
    sessionId: reader.int32(),
    responses: reader.list(() => ({
      topicName: reader.text(reader.int16()),
      partitions: reader.list(partition),
    })),
  };
}
