import { type ByteReader, int32, text } from './wire-types.ts';

/** One partition's batch, encoded by record-batch.ts. */
export interface EncodedBatch {
  topic: string;
  partition: number;
  bytes: Buffer;
}

/** The broker's answer for one partition of a produce request. */
export interface PartitionAnswer {
  topic: string;
  partition: number;
  /** 0: no error. */
  errorCode: number;
  /** -1: nothing was appended. */
  baseOffset: bigint;
}

const acksOfAll = -1;

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
      reader.int64(); // append time
      reader.int64(); // log start offset
      return answer;
    });
  });
  // The broker does not delay a throttled answer: it asks the client to wait (KIP-219). kafkajs reads this name.
  return { answers: topics.flat(), clientSideThrottleTime: reader.int32() };
}
