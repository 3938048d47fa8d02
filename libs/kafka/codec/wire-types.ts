/** Writes the types of Kafka's protocol (https://kafka.apache.org/protocol#protocol_types); byte-reader.ts reads them. */
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
