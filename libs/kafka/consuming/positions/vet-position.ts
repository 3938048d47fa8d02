/** The bounds of one partition's log: the offsets of its first record and of its next. */
export interface LogBounds {
  low: bigint;
  high: bigint;
}

/**
 * Where a group goes on in a log, and what has become of the records before. It always goes on from a record that nobody is known to have
 * read, so that none is skipped; what is read again by that is known downstream by its id.
 *
 * | kind         | the group's position is                | because                                                               |
 * |--------------|----------------------------------------|-----------------------------------------------------------------------|
 * | `within`     | in the log                             |                                                                       |
 * | `new`        | none, and the log has its first record | the group has not read this partition yet                             |
 * | `lost`       | before the log's first record          | retention, or somebody, has removed the records in between unread      |
 * | `beyond_end` | behind the log's end                   | the topic was made anew, or its end was lost: offsets mean other ones |
 * | `no_offset`  | none, and the log has lost records     | the group is new, or its offsets have expired: nobody knows which      |
 *
 * A topic made anew that has grown beyond the position already can't be told from the old one; its brokers forget the group's offsets with it.
 */
export type Position =
  | { kind: 'within' | 'new'; startOffset: bigint }
  | { kind: 'lost'; startOffset: bigint; from: bigint; records: bigint }
  | { kind: 'beyond_end'; startOffset: bigint; from: bigint; end: bigint }
  | { kind: 'no_offset'; startOffset: bigint };

/** @param position the next offset that the group would read, asked for before the bounds; undefined where it has none */
export function vetPosition(position: bigint | undefined, { low, high }: LogBounds): Position {
  if (position === undefined) return { kind: low === 0n ? 'new' : 'no_offset', startOffset: low };
  if (position < low) return { kind: 'lost', startOffset: low, from: position, records: low - position };
  if (position > high) return { kind: 'beyond_end', startOffset: low, from: position, end: high };
  return { kind: 'within', startOffset: position };
}
