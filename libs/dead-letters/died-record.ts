import type { HeaderValue, OutgoingRecord } from '#lib/kafka';

/** A record that was given up, as it came; its dead letter adds headers to it. */
export type DiedRecord = Pick<OutgoingRecord, 'key' | 'value' | 'headers'>;

export const toBuffer = (value: HeaderValue): Buffer => (typeof value === 'string' ? Buffer.from(value) : value);

export const rawHeaders = (headers: OutgoingRecord['headers']): Record<string, Buffer[]> =>
  Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, [values].flat().map(toBuffer)]));
