/**
 * The outcome of one partition's batch in a produce request. The batch is written if the answer names its partition exactly once, without
 * an error code and with a base offset; everything else is *not known to be written*. The outcome of one partition says nothing about
 * another.
 */
import { rootCause } from '../client.ts';
import type { PartitionAnswer } from '../codec/produce-request.ts';

export type ProduceOutcome =
  | { kind: 'written'; baseOffset: bigint }
  /** The broker will not take this batch, however often: one of its records is at fault. */
  | { kind: 'refused'; error: Error }
  /** It may be on the topic or not; it is retried. `lags`: the partition has too few in-sync followers. */
  | { kind: 'unknown'; error: Error; connectionSuspect: boolean; lags: boolean };

/** https://kafka.apache.org/protocol#protocol_error_codes */
const refusals: ReadonlyMap<number, string> = new Map([
  [10, 'MESSAGE_TOO_LARGE'],
  [18, 'RECORD_LIST_TOO_LARGE'],
  [32, 'INVALID_TIMESTAMP'],
  [43, 'UNSUPPORTED_FOR_MESSAGE_FORMAT'],
  [87, 'INVALID_RECORD'],
]);
/** Its followers lag, or there are too few: in a shared request it would delay the other partitions. */
const laggards: ReadonlyMap<number, string> = new Map([
  [7, 'REQUEST_TIMED_OUT'],
  [19, 'NOT_ENOUGH_REPLICAS'],
  [20, 'NOT_ENOUGH_REPLICAS_AFTER_APPEND'],
]);

export function outcomeOfAnswer(answers: readonly PartitionAnswer[], topic: string, partition: number): ProduceOutcome {
  const place = `${topic}/${partition}`;
  const [answer, ...others] = answers.filter((each) => each.topic === topic && each.partition === partition);
  if (answer === undefined || others.length > 0)
    return notWritten(`the answer names ${place} ${answer === undefined ? 'not at all' : 'several times'}`, true);
  const { errorCode, baseOffset } = answer;
  const refusal = refusals.get(errorCode);
  if (refusal !== undefined) return { kind: 'refused', error: new Error(`${place}: ${refusal}`) };
  if (errorCode !== 0)
    return notWritten(
      `the answer for ${place} is ${laggards.get(errorCode) ?? `error ${errorCode}`}`,
      false,
      laggards.has(errorCode),
    );
  // A broker answers -1 if it has not appended anything.
  if (baseOffset < 0n) return notWritten(`the answer for ${place} has the base offset ${baseOffset}`, true);
  return { kind: 'written', baseOffset };
}

/** The outcome of an unanswered request: unknown, for all of its partitions. */
export const outcomeOfFailure = (thrown: unknown): ProduceOutcome => ({
  kind: 'unknown',
  error: rootCause(thrown),
  connectionSuspect: true,
  lags: false,
});

const notWritten = (problem: string, connectionSuspect: boolean, lags = false): ProduceOutcome => ({
  kind: 'unknown',
  error: new Error(`not known to be written: ${problem}`),
  connectionSuspect,
  lags,
});
