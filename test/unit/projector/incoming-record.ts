import type { IncomingRecord } from '#lib/kafka';

export interface TestRecord extends IncomingRecord {
  /** How often its offset was given free. */
  doneCount(): number;
}

const never = new AbortController().signal;

/** A record as a consumer hands it over. */
export function incomingRecord(given: {
  topic: string;
  offset?: number;
  value?: string | Buffer;
  headers?: Record<string, string>;
  key?: string;
  signal?: AbortSignal | undefined;
}): TestRecord {
  let done = 0;
  const headers = given.headers ?? {};
  return {
    topic: given.topic,
    partition: 3,
    offset: BigInt(given.offset ?? 0),
    key: given.key === undefined ? null : Buffer.from(given.key),
    value: Buffer.from(given.value ?? ''),
    headers,
    rawHeaders: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)])),
    signal: given.signal ?? never,
    done: () => void (done += 1),
    doneCount: () => done,
  };
}
