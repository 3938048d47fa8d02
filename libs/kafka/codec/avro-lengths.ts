/**
 * Checks that every length and count in a value fits the bytes that are there. The Avro library notices only at the end: before, it loops
 * as often as a forged count of array or map entries says, up to for ever, until the process hangs or runs out of memory. This check walks
 * the bytes by their schema without building values, and stops at the first missing byte.
 */

/** The documented parts of the Avro library's types that this file reads. */
export interface AvroShape {
  /** `record`, `union:unwrapped`, `logical:…`, `string`, … */
  typeName: string;
  /** Set for records. */
  fields?: readonly { type: AvroShape }[];
  /** Set for arrays. */
  itemsType?: AvroShape;
  /** Set for maps. */
  valuesType?: AvroShape;
  /** Set for unions. */
  types?: readonly AvroShape[];
  /** Set for fixed types. */
  size?: number;
  /** Set for logical types. */
  underlyingType?: AvroShape;
}

export function areLengthsSound(type: AvroShape, bytes: Buffer): boolean {
  return skip(type, bytes, 0) <= bytes.length;
}

/** Every result is a position; this one marks missing bytes, and stays so. */
const beyond = Number.POSITIVE_INFINITY;

/** @returns the end of the value that begins at `at` */
function skip(type: AvroShape, bytes: Buffer, at: number): number {
  if (at > bytes.length) return beyond;
  const { typeName, underlyingType } = type;
  if (underlyingType !== undefined) return skip(underlyingType, bytes, at);
  switch (typeName) {
    case 'null':
      return at;
    case 'boolean':
      return at + 1;
    case 'float':
      return at + 4;
    case 'double':
      return at + 8;
    case 'fixed':
      return at + (type.size ?? 0);
    case 'int':
    case 'long':
    case 'enum':
      return readLong(bytes, at).end;
    case 'string':
    case 'bytes':
      return skipSized(bytes, at);
    case 'array':
      return skipBlocks(bytes, at, (from) => (type.itemsType ? skip(type.itemsType, bytes, from) : beyond));
    case 'map':
      return skipBlocks(bytes, at, (from) =>
        type.valuesType ? skip(type.valuesType, bytes, skipSized(bytes, from)) : beyond,
      );
    case 'record':
    case 'error':
      return (type.fields ?? []).reduce((from, field) => skip(field.type, bytes, from), at);
    default: {
      // Only unions are left. The decoder refuses an unknown branch at once.
      const { value, end } = readLong(bytes, at);
      const branch = type.types?.[value];
      return branch === undefined ? end : skip(branch, bytes, end);
    }
  }
}

function skipSized(bytes: Buffer, at: number): number {
  const { value, end } = readLong(bytes, at);
  return value < 0 ? beyond : end + value;
}

/** Entries come in blocks, the last one empty; a negative count is followed by the block's length in bytes. */
function skipBlocks(bytes: Buffer, at: number, skipEntry: (at: number) => number): number {
  for (let from = at; from <= bytes.length;) {
    const { value, end } = readLong(bytes, from);
    if (value === 0) return end;
    from = value < 0 ? readLong(bytes, end).end : end;
    const count = Math.abs(value);
    // An entry of ours takes at least a byte.
    if (count > bytes.length - from) return beyond;
    for (let entry = 0; entry < count && from <= bytes.length; entry += 1) from = skipEntry(from);
  }
  return beyond;
}

/** Zigzag, seven bits a byte; above what a double holds exactly, an approximate number. */
function readLong(bytes: Buffer, at: number): { value: number; end: number } {
  let value = 0;
  let scale = 1;
  for (let end = at; end < bytes.length; scale *= 128) {
    const byte = bytes[end] ?? 0;
    end += 1;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value: value % 2 === 0 ? value / 2 : -(value + 1) / 2, end };
  }
  return { value: 0, end: beyond };
}
