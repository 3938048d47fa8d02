import { header, isForAnother, type Topics, type UndecodableBatchFacts } from '#lib/contract';
import { firstOriginOf } from '#lib/dead-letters';
import { decodeKeptBatch, type OutgoingRecord } from '#lib/kafka';
import type { ReplayItem } from '#lib/replay-store';

interface Limits {
  /** Of the batch when it is decompressed. */
  decompressedBytes: number;
}

/**
 * The records of a batch that could not be decoded when its stage met it, for the topic that it stood on: as they were, with headers that say
 * where each stood first, and for which stage it comes again.
 *
 * @returns the reason as text if it can't be sent
 */
export function recordsOfBatch(
  { stage, value }: Extract<ReplayItem, { kind: 'record' }>,
  { topic, partition }: UndecodableBatchFacts,
  topics: Topics,
  { decompressedBytes }: Limits,
): OutgoingRecord[] | string {
  if (!Object.values(topics).includes(topic)) return 'topic_unknown';
  const decoded = decodeKeptBatch(value, { topic, partition }, decompressedBytes);
  if ('problem' in decoded) return 'batch_undecodable';
  // A dead letter keeps the headers of what died, and is for nobody else.
  const isDeadLetter = topic === topics['dead-letters'];
  return decoded.records
    .filter((record) => isDeadLetter || !isForAnother(record.headers, stage))
    .map((record) => ({
      topic,
      key: record.key,
      value: record.value,
      headers: {
        ...record.rawHeaders,
        ...(!isDeadLetter && { [header.origin]: firstOriginOf(record), [header.replayFor]: stage }),
      },
    }));
}
