/** Writes the types of Kafka's protocol (https://kafka.apache.org/protocol#protocol_types); `ByteReader` reads them. */
export function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}

export function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.allocUnsafe(2);
  length.writeInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Reads them one after the other. */
export class ByteReader {
  readonly bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  int8(): number {
    return this.bytes.readInt8(this.at++);
  }

  int16(): number {
    this.at += 2;
    return this.bytes.readInt16BE(this.at - 2);
  }

  int32(): number {
    this.at += 4;
    return this.bytes.readInt32BE(this.at - 4);
  }

  int64(): bigint {
    this.at += 8;
    return this.bytes.readBigInt64BE(this.at - 8);
  }

  /** Zigzag, then seven bits a byte, the lowest first; of up to 32 bits. */
  varint(): number {
    let value = 0;
    let shift = 0;
    for (;;) {
      const byte = this.bytes[this.at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
      shift += 7;
    }
  }

  /** The same of up to 53 bits. */
  varlong(): number {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      unit *= 128;
    }
  }

  /** A view of so many bytes. @throws RangeError if there are fewer */
  view(length: number): Buffer {
    const end = this.at + length;
    if (end > this.bytes.length) throw new RangeError(`${length} bytes at ${this.at} of ${this.bytes.length}`);
    const view = this.bytes.subarray(this.at, end);
    this.at = end;
    return view;
  }

  text(length: number): string {
    const start = this.at;
    this.at += length;
    return this.bytes.toString('utf8', start, this.at);
  }

  /** Bytes prefixed by their length as a varint; -1 means null. */
  varBytes(): Buffer | null {
    const length = this.varint();
    return length < 0 ? null : this.view(length);
  }

  /** Bytes prefixed by their length as an int32; -1 means null. */
  bytes32(): Buffer | null {
    const length = this.int32();
    return length < 0 ? null : this.view(length);
  }

  /** Passes over bytes prefixed by their length as a varint. @throws RangeError if there are fewer */
  skipVarBytes(): void {
    const length = this.varint();
    if (length > 0) this.at += length;
    if (this.at > this.bytes.length) throw new RangeError(`${length} bytes before ${this.at} of ${this.bytes.length}`);
  }

  /** After its count as an int32; no list (-1) is an empty one. */
  list<T>(read: () => T): T[] {
    const count = this.int32();
    const items: T[] = [];
    for (let i = 0; i < count; i += 1) items.push(read());
    return items;
  }
}
