/**
 * The wire format of Protocol Buffers, as far as reading goes: fields by number, in order. Its own code and not the exporter's library, which
 * would read back its own mistakes; and that has no decoder.
 */
type ProtobufValue = bigint | Buffer;

export interface ProtobufMessage {
  /** Numbers of any length, and lengths of eight or four bytes, as they stand. */
  number(field: number): bigint | undefined;
  bytes(field: number): Buffer | undefined;
  text(field: number): string;
  /** For a field that is a message, or several. */
  messages(field: number): ProtobufMessage[];
}

/** @throws RangeError, Error if it is malformed */
export function readProtobuf(encoded: Buffer): ProtobufMessage {
  const fields = new Map<number, ProtobufValue[]>();
  let at = 0;

  function varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = encoded.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
      if (shift > 63n) throw new Error('a varint of more than ten bytes');
    }
  }

  function take(length: number): Buffer {
    if (at + length > encoded.length) throw new RangeError('a field ends behind its message');
    at += length;
    return encoded.subarray(at - length, at);
  }

  function valueOf(wireType: number): ProtobufValue {
    if (wireType === 0) return varint();
    if (wireType === 1) return take(8);
    if (wireType === 2) return take(Number(varint()));
    if (wireType === 5) return take(4);
    throw new Error(`wire type ${wireType}`);
  }

  while (at < encoded.length) {
    const tag = Number(varint());
    const field = tag >>> 3;
    fields.set(field, [...(fields.get(field) ?? []), valueOf(tag & 7)]);
  }

  const last = (field: number): ProtobufValue | undefined => fields.get(field)?.at(-1);
  const bytes = (field: number): Buffer | undefined => {
    const value = last(field);
    return Buffer.isBuffer(value) ? value : undefined;
  };
  return {
    number(field) {
      const value = last(field);
      if (!Buffer.isBuffer(value)) return value;
      return value.length === 8 ? value.readBigUInt64LE() : BigInt(value.readUInt32LE());
    },
    bytes,
    text: (field) => bytes(field)?.toString('utf8') ?? '',
    messages: (field) => (fields.get(field) ?? []).filter(Buffer.isBuffer).map(readProtobuf),
  };
}
