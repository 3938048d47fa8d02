import type { HeaderValue, OutgoingRecord } from '#lib/kafka';

/** A record that was given up, as it came; its dead letter adds headers to it. */
export interface DiedRecord extends Pick<OutgoingRecord, 'key' | 'value' | 'headers'> {
  /**
   * Set if it is a batch that can't be decoded: the topic that it stood on. A part of it is of no use, and on the same topic it might not be
   * decoded again.
   */
  batchOf?: string;
}

export const toBuffer = (value: HeaderValue): Buffer => (typeof value === 'string' ? Buffer.from(value) : value);

export const rawHeaders = (headers: OutgoingRecord['headers']): Record<string, Buffer[]> =>
  Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, [values].flat().map(toBuffer)]));
