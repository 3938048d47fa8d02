/**
 * A batch of records that a stage could not decode, as its dead letter tells of it: the value is the batch as on the wire, and nobody knows what
 * its records are, nor whose. The offsets of a batch follow one another, so the first and the last name all of them.
 */
import { header, type HeaderText } from './headers.ts';
import { noTenant } from './dead-letter.ts';
import { wholeNumber } from './received-webhook.ts';

export interface UndecodableBatchFacts {
  topic: string;
  partition: number;
  firstOffset: bigint;
  lastOffset: bigint;
  /** The codec's name. */
  compression: string;
  /** Completes the sentence "the batch …". */
  problem: string;
}

export const undecodableBatchHeaders = (batch: UndecodableBatchFacts): Record<string, string> => ({
  [header.tenant]: noTenant,
  [header.deadLetterTopic]: batch.topic,
  [header.deadLetterPartition]: String(batch.partition),
  [header.deadLetterOffsets]: `${batch.firstOffset}-${batch.lastOffset}`,
  [header.deadLetterCompression]: batch.compression,
  [header.deadLetterProblem]: batch.problem,
});

/** Names it: no record has this origin, for one of them may become a dead letter of its own when the batch is replayed. */
export const originOfBatch = ({ topic, partition, firstOffset, lastOffset }: UndecodableBatchFacts): string =>
  `${topic}-${partition}-${firstOffset}..${lastOffset}`;

/** Undefined for the dead letter of anything else. */
export function parseUndecodableBatch(headers: HeaderText): UndecodableBatchFacts | undefined {
  const topic = headers[header.deadLetterTopic];
  const partition = wholeNumber(headers[header.deadLetterPartition]);
  const [, first, last] = /^(\d{1,19})-(\d{1,19})$/.exec(headers[header.deadLetterOffsets] ?? '') ?? [];
  if (topic === undefined || partition === undefined || first === undefined || last === undefined) return undefined;
  return {
    topic,
    partition,
    firstOffset: BigInt(first),
    lastOffset: BigInt(last),
    compression: headers[header.deadLetterCompression] ?? '',
    problem: headers[header.deadLetterProblem] ?? '',
  };
}
