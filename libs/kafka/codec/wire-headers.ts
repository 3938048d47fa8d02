import { ByteReader } from './byte-reader.ts';

/**
 * The headers of a record's body, in their order.
 *
 * @param at where they begin: after key and value
 * @param take reads the value, of so many bytes; -1 means null
 */
export function eachHeader(
  body: Buffer,
  at: number,
  take: (name: string, reader: ByteReader, length: number) => void,
): void {
  const reader = new ByteReader(body, at);
  for (let left = reader.varint(); left > 0; left -= 1) {
    const name = reader.text(reader.varint());
    take(name, reader, reader.varint());
  }
}

/** Sets an own property even for `__proto__`, which can't be assigned. */
export function putHeader<Value>(headers: Record<string, Value>, name: string, value: Value): void {
  if (name !== '__proto__') headers[name] = value;
  else Object.defineProperty(headers, name, { value, configurable: true, enumerable: true, writable: true });
}
