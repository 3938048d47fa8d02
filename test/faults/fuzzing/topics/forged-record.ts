import type { TopicName } from '#lib/contract';
import type { Stack } from '../../../support/stack.ts';
import type { Draw } from '../draw.ts';
import type { BaseRecords } from './base-records.ts';

/**
 * How a record may end:
 *   letter     each stage that reads it writes a dead letter
 *   processed  no stage does, and each has done its work
 *   either     whichever: what is wrong with it may not matter, or only to one of its readers
 *   passed     it is for another stage, and for nobody here
 */
export type Ending = 'letter' | 'processed' | 'either' | 'passed';

export interface RecordParts {
  key: Buffer | null;
  value: Buffer | null;
  /** Headers that come once, or several times. */
  headers: Readonly<Record<string, Buffer | readonly Buffer[]>>;
  /** Microseconds since the epoch, in milliseconds as Kafka has them; absent: now. */
  timestampMs?: number;
}

export interface ForgedRecord extends RecordParts {
  topic: TopicName;
  /** `header: NUL`: the part that is broken, and how; `control`: none is. */
  kind: string;
  caseName: string;
  ending: Ending;
  partition: number;
}

export interface SentRecord extends ForgedRecord {
  /** The record's own mark, in a header that nobody reads: dead letters keep it. */
  mark: string;
  offset: number;
}

export const markHeader = 'x-fuzzing-mark';

export const positionOf = ({ topicPrefix }: Stack, { topic, partition, offset }: SentRecord): string =>
  `${topicPrefix}${topic}-${partition}-${offset}`;

/** The last value of a header that comes twice. */
export function textOf({ headers }: SentRecord, name: string): string {
  const values = Object.hasOwn(headers, name) ? [headers[name] ?? []].flat() : [];
  return values.at(-1)?.toString() ?? '';
}

/** A sound record, and the means to break it. */
interface Material {
  topic: TopicName;
  sound: RecordParts;
  base: BaseRecords;
  draw: Draw;
}

/** One way to break a record. */
export interface Kind {
  kind: string;
  ending: Ending;
  /** @returns the parts that are other than the sound one's */
  forge(material: Material): Partial<RecordParts>;
}
