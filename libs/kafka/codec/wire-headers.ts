import { ByteReader } from './byte-reader.ts';

/**
 * The headers of a record's body, in their order.
 *
 * @param at where they begin: behind key and value
 * @param take is to read the value, so many bytes; -1 stands for null
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

/** One's own, also where it is called `__proto__`: that is no value of an object's own to assign to. */
export function putHeader<Value>(headers: Record<string, Value>, name: string, value: Value): void {
  if (name !== '__proto__') headers[name] = value;
  else Object.defineProperty(headers, name, { value, configurable: true, enumerable: true, writable: true });
}
