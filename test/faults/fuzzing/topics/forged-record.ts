import type { TopicName } from '#lib/contract';

/** Headers that come once, or several times. */
type ForgedHeaders = Readonly<Record<string, Buffer | readonly Buffer[]>>;

/**
 * How a record may end:
 *   dead letter     each stage that reads it writes one
 *   processed  no stage does, and each has done its work
 *   either     whichever: what is wrong with it may not matter, or only to one of its readers
 *   passed     it is for another stage, and for nobody here
 */
export type Ending = 'letter' | 'processed' | 'either' | 'passed';

export interface ForgedRecord {
  topic: TopicName;
  /** The defect; `control` if there is none. */
  kind: string;
  ending: Ending;
  key: Buffer | null;
  value: Buffer | null;
  headers: ForgedHeaders;
  /** Microseconds since the epoch, in milliseconds as Kafka has them; absent: now. */
  timestampMs?: number;
}

export interface SentRecord extends ForgedRecord {
  /** The record's own mark, in a header that nobody reads: dead letters keep it. */
  mark: string;
  partition: number;
  offset: number;
}

export const markHeader = 'x-fuzzing-mark';
