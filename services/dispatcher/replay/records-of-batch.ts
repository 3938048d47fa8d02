import { header, isForAnother, type Topics, type UndecodableBatchFacts } from '#lib/contract';
import { firstOriginOf } from '#lib/dead-letters';
import { decodeKeptBatch, type IncomingRecord, type OutgoingRecord } from '#lib/kafka';
import type { ReplayItem } from '#lib/replay-store';

/** Reads the batch from its topic, if it is there and can be decoded by now. */
export type ReadBatchAgain = (
  batch: UndecodableBatchFacts,
) => Promise<{ records: IncomingRecord[] } | { problem: string }>;

interface Deps {
  topics: Topics;
  /** The most that a batch may have when it is decompressed. */
  decompressedBytes: number;
  readBatchAgain: ReadBatchAgain;
}

/**
 * The records of a batch that could not be decoded when its stage met it, for the topic that it stood on: as they were, with headers that say
 * where each stood first, and for which stage it comes again. Where the kept bytes can't be decoded, the batch may be sound on its topic by now.
 *
 * @returns the reason as text if it can't be sent
 */
export async function recordsOfBatch(
  { stage, value }: Extract<ReplayItem, { kind: 'record' }>,
  batch: UndecodableBatchFacts,
  { topics, decompressedBytes, readBatchAgain }: Deps,
): Promise<OutgoingRecord[] | string> {
  const { topic, partition } = batch;
  if (!Object.values(topics).includes(topic)) return 'topic_unknown';
  const kept = decodeKeptBatch(value, { topic, partition }, decompressedBytes);
  const decoded = 'problem' in kept ? await readBatchAgain(batch) : kept;
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
