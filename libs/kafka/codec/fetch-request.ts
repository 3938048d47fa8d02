/** The question of a consumer of kafkajs 2.2.4 to a broker; its types omit some of it. */
export interface FetchRequest {
  /** Milliseconds. */
  maxWaitTime?: number;
  minBytes?: number;
  maxBytes?: number;
  /** 1: committed records alone. */
  isolationLevel?: number;
  rackId?: string;
  topics: readonly FetchedTopic[];
}

interface FetchedTopic {
  topic: string;
  partitions: readonly FetchedPartition[];
}

interface FetchedPartition {
  partition: number;
  fetchOffset: string;
  maxBytes: number;
}

const consumer = -1;
const unknown = -1;
const noSession = 0;
const noEpoch = -1;
const readCommitted = 1;
/** Replica, wait, least and most bytes, isolation, session and its epoch, count of topics. */
const headBytes = 4 + 4 + 4 + 4 + 1 + 4 + 4 + 4;
const partitionBytes = 4 + 4 + 8 + 8 + 4;

/**
 * Fetch request, version 11, without a session: https://kafka.apache.org/protocol#The_Messages_Fetch
 *
 * @param first the partition that comes first, counted over all topics: a broker fills its answer in this order, so each must have its turn (KIP-74)
 */
export function fetchBody(request: FetchRequest, first: number): Buffer {
  const { maxWaitTime = 5_000, minBytes = 1, maxBytes = 10 * 1024 * 1024, isolationLevel = readCommitted } = request;
  const { rackId = '' } = request;
  const topics = rotated(request.topics, first);
  const rackBytes = Buffer.byteLength(rackId);
  let bytes = headBytes + 4 + 2 + rackBytes;
  for (const { topic, partitions } of topics)
    bytes += 2 + Buffer.byteLength(topic) + 4 + partitions.length * partitionBytes;

  const out = Buffer.allocUnsafe(bytes);
  let at = out.writeInt32BE(consumer, 0);
  at = out.writeInt32BE(maxWaitTime, at);
  at = out.writeInt32BE(minBytes, at);
  at = out.writeInt32BE(maxBytes, at);
  at = out.writeInt8(isolationLevel, at);
  at = out.writeInt32BE(noSession, at);
  at = out.writeInt32BE(noEpoch, at);
  at = out.writeInt32BE(topics.length, at);
  for (const { topic, partitions } of topics) {
    at = out.writeInt16BE(Buffer.byteLength(topic), at);
    at += out.write(topic, at);
    at = out.writeInt32BE(partitions.length, at);
    for (const each of partitions) {
      at = out.writeInt32BE(each.partition, at);
      at = out.writeInt32BE(unknown, at); // the leader's epoch
      at = out.writeBigInt64BE(BigInt(each.fetchOffset), at);
      at = out.writeBigInt64BE(BigInt(unknown), at); // where the log starts: followers alone tell
      at = out.writeInt32BE(each.maxBytes, at);
    }
  }
  at = out.writeInt32BE(0, at); // nothing is forgotten without a session
  at = out.writeInt16BE(rackBytes, at);
  out.write(rackId, at);
  return out;
}

export const countFetched = ({ topics }: Pick<FetchRequest, 'topics'>): number =>
  topics.reduce((sum, { partitions }) => sum + partitions.length, 0);

/** From the first partition on, and in the end those before it. */
function rotated(topics: readonly FetchedTopic[], first: number): readonly FetchedTopic[] {
  let left = first;
  for (const [index, { topic, partitions }] of topics.entries()) {
    if (left >= partitions.length) {
      left -= partitions.length;
      continue;
    }
    const others = [...topics.slice(index + 1), ...topics.slice(0, index)];
    const behind = left === 0 ? [] : [{ topic, partitions: partitions.slice(0, left) }];
    return [{ topic, partitions: partitions.slice(left) }, ...others, ...behind];
  }
  return topics;
}
