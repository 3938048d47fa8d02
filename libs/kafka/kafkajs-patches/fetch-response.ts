/**
 * Decodes fetch responses in one pass (codec/read-record-batches.ts). A batch that can't be decoded is one of its messages, and so fails neither
 * the others nor the response. Everything else about fetching is kafkajs's.
 */
import fetchResponse, {
  type FetchResponse,
  type PartitionResponse,
} from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { ByteReader } from '../codec/wire-types.ts';
import { readRecordBatches } from '../codec/read-record-batches.ts';

export function decodeFetchesInOnePass(): void {
  fetchResponse.decode = async (bytes) => decodeFetchResponse(bytes);
}

/**
 * Fetch response, version 11, which all brokers since 2.3 know: https://kafka.apache.org/protocol#The_Messages_Fetch
 *
 * Without the partitions that have nothing to tell: a consumer has dozens, of which one or two have records, and kafkajs makes a batch of each, that
 * goes through its queue and looks whether a heartbeat is due. One is due often enough: kafkajs looks after each fetch too that brought no batch.
 */
export function decodeFetchResponse(bytes: Buffer): FetchResponse {
  const reader = new ByteReader(bytes);
  return {
    // The broker does not delay a throttled answer: it asks the client to wait (KIP-219).
    throttleTime: 0,
    clientSideThrottleTime: reader.int32(),
    errorCode: reader.int16(),
    sessionId: reader.int32(),
    responses: readTopics(reader),
  };
}

function readTopics(reader: ByteReader): FetchResponse['responses'] {
  const topics: FetchResponse['responses'][number][] = [];
  for (let left = reader.int32(); left > 0; left -= 1) {
    const topicName = reader.text(reader.int16());
    const partitions: PartitionResponse[] = [];
    for (let more = reader.int32(); more > 0; more -= 1) {
      const partition = readPartition(reader);
      if (partition !== undefined) partitions.push(partition);
    }
    if (partitions.length > 0) topics.push({ topicName, partitions });
  }
  return topics;
}

/** High watermark, last stable offset, first offset of the log. */
const offsetsBytes = 24;
/** The consumer may read where it does. */
const noOtherReplica = -1;

/** Undefined for one without records, that is well. */
function readPartition(reader: ByteReader): PartitionResponse | undefined {
  const partition = reader.int32();
  const errorCode = reader.int16();
  const offsetsAt = reader.at;
  reader.at += offsetsBytes;
  const abortedTransactions = reader.list(() => ({
    producerId: String(reader.int64()),
    firstOffset: String(reader.int64()),
  }));
  const preferredReadReplica = reader.int32();
  const length = reader.int32();
  const messages = length <= 0 ? [] : readRecordBatches(reader.view(length));
  if (messages.length === 0 && errorCode === 0 && preferredReadReplica === noOtherReplica) return undefined;
  const offsets = new ByteReader(reader.bytes, offsetsAt);
  return {
    partition,
    errorCode,
    highWatermark: String(offsets.int64()),
    lastStableOffset: String(offsets.int64()),
    lastStartOffset: String(offsets.int64()),
    abortedTransactions,
    preferredReadReplica,
    messages,
  };
}
