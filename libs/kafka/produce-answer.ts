/**
 * What became of one produce request for one partition. kafkajs's `send` resolving says little: it resolves without having sent where
 * its metadata do not know the partition, and where a retry took the partition for answered. So a record is written when the answer
 * itself names its partition, without an error code, with a base offset; everything else is *not known to be written*.
 */
import type { RecordMetadata } from 'kafkajs';
import { rootCause } from './client.ts';

export type ProduceOutcome =
  | { kind: 'written'; baseOffset: bigint }
  /** The broker will not take this batch, however often: one of its records is at fault. */
  | { kind: 'refused'; error: Error }
  /** It may be on the topic or not; to be tried again. */
  | { kind: 'unknown'; error: Error; connectionSuspect: boolean };

const refusals = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'INVALID_TIMESTAMP',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
]);

export function judgeAnswer(answer: readonly RecordMetadata[], topic: string, partition: number): ProduceOutcome {
  const entries = answer.filter((entry) => entry.topicName === topic && entry.partition === partition);
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) {
    return notWritten(`the answer names ${topic}/${partition} ${entries.length} times`);
  }
  if (entry.errorCode !== 0)
    return notWritten(`the answer for ${topic}/${partition} has error code ${entry.errorCode}`);
  // -1 is what a broker says without having appended anything.
  if (!/^\d+$/.test(entry.baseOffset ?? '')) {
    return notWritten(`the answer for ${topic}/${partition} has no base offset (${entry.baseOffset ?? 'none'})`);
  }
  return { kind: 'written', baseOffset: BigInt(entry.baseOffset ?? '') };
}

export function judgeFailure(thrown: unknown): ProduceOutcome {
  const error = rootCause(thrown);
  const { type, retriable } = error as { type?: unknown; retriable?: unknown };
  if (typeof type === 'string' && refusals.has(type)) return { kind: 'refused', error };
  // An answer with a retriable error code has made kafkajs refresh its metadata; time-outs and the rest refresh nothing.
  return { kind: 'unknown', error, connectionSuspect: !(typeof type === 'string' && retriable === true) };
}

function notWritten(problem: string): ProduceOutcome {
  return { kind: 'unknown', error: new Error(`not known to be written: ${problem}`), connectionSuspect: true };
}
