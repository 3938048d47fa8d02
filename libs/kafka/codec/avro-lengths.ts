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
  const walk = { bytes, at: 0 };
  skip(type, walk);
  return walk.at <= bytes.length;
}

/** The position is `beyond` once a byte is missing, and stays so. */
interface Walk {
  readonly bytes: Buffer;
  at: number;
}

const beyond = Number.POSITIVE_INFINITY;

/** Goes to the end of the value. */
function skip(type: AvroShape, walk: Walk): void {
  if (walk.at > walk.bytes.length) return;
  const { typeName, underlyingType } = type;
  if (underlyingType !== undefined) return skip(underlyingType, walk);
  switch (typeName) {
    case 'null':
      return;
    case 'boolean':
      walk.at += 1;
      return;
    case 'float':
      walk.at += 4;
      return;
    case 'double':
      walk.at += 8;
      return;
    case 'fixed':
      walk.at += type.size ?? 0;
      return;
    case 'int':
    case 'long':
    case 'enum':
      readLong(walk);
      return;
    case 'string':
    case 'bytes':
      return skipSized(walk);
    case 'array':
      return skipBlocks(walk, type.itemsType, false);
    case 'map':
      return skipBlocks(walk, type.valuesType, true);
    case 'record':
    case 'error':
      for (const field of type.fields ?? []) skip(field.type, walk);
      return;
    default: {
      // Only unions are left. The decoder refuses an unknown branch at once.
      const branch = type.types?.[readLong(walk)];
      if (branch !== undefined) skip(branch, walk);
    }
  }
}

function skipSized(walk: Walk): void {
  const size = readLong(walk);
  walk.at = size < 0 ? beyond : walk.at + size;
}

/** Entries come in blocks, the last one empty; a negative count is followed by the block's length in bytes. */
function skipBlocks(walk: Walk, type: AvroShape | undefined, hasKeys: boolean): void {
  const { bytes } = walk;
  while (walk.at <= bytes.length) {
    const count = readLong(walk);
    if (count === 0) return;
    if (count < 0) readLong(walk);
    // An entry of ours takes at least a byte.
    if (type === undefined || Math.abs(count) > bytes.length - walk.at) {
      walk.at = beyond;
      return;
    }
    for (let left = Math.abs(count); left > 0 && walk.at <= bytes.length; left -= 1) {
      if (hasKeys) skipSized(walk);
      skip(type, walk);
    }
  }
}

/** Zigzag, seven bits a byte; above what a double holds exactly, an approximate number. 0 where bytes are missing. */
function readLong(walk: Walk): number {
  const { bytes } = walk;
  let value = 0;
  let scale = 1;
  for (let at = walk.at; at < bytes.length; scale *= 128) {
    const byte = bytes[at] ?? 0;
    at += 1;
    value += (byte & 0x7f) * scale;
    if (byte >= 0x80) continue;
    walk.at = at;
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
  walk.at = beyond;
  return 0;
}
