/**
 * The request that a webhook came with. It travels in two forms:
 *
 *   ingress ── header `hookline-request`, beside `hookline-http-headers` ──► dedup ── field `request` of the event ──► all others
 *
 * The first has what the object of headers has lost (order, case, repeated values), so that the ingress writes no value twice. The second is
 * bounded and has no secret that is not sealed: it may be stored beside the payload, and, without the sealed values, shown.
 */

import type { SealedHeaders } from './sealed-headers.ts';
import type { Trail } from './trail.ts';

/** The first form. With the headers by lower-case name, it is the whole request. */
export interface ReceivedRequest {
  /** Lower-case names of the headers that the source's scheme reads its signature from. */
  secret: readonly string[];
  method: string;
  /** With the query; values that may be secrets are masked. */
  path: string;
  address: string;
  /** The names of the headers as sent, in their order, separated by commas. */
  names: string;
  /** The values of headers that came more than once, by lower-case name. */
  repeated?: Readonly<Record<string, readonly string[]>>;
}

/** The second form. */
export interface EventRequest {
  method: string;
  /** With the query; values that may be secrets are masked. */
  path: string;
  client_address: string;
  /** In their order; repeated ones each by itself. */
  headers: RequestHeader[];
  /** Values of headers whose value is null, where an endpoint names the header; never shown. Absent where there are none. */
  sealed?: SealedHeaders;
  /** The sources that it had passed before; absent for none. */
  trail?: Trail;
  /** Some of it was too long to be kept: the end of the path, or headers after those that are here. */
  truncated: boolean;
}

export interface RequestHeader {
  /** As the sender spelled it. */
  name: string;
  /** Null: it may be a secret, and is not kept. */
  value: string | null;
}

/** Null where there is none: an older ingress wrote the record. A text that is no request counts as none. */
export function parseReceivedRequest(text: string | undefined): ReceivedRequest | null {
  if (text === undefined) return null;
  try {
    const request = JSON.parse(text) as Partial<ReceivedRequest> | null;
    const { secret, method, path, address, names, repeated = {} } = request ?? {};
    const texts: unknown[] = [method, path, address, names];
    const isWhole = texts.every(isText) && isTexts(secret) && Object.values(repeated).every(isTexts);
    return isWhole ? (request as ReceivedRequest) : null;
  } catch {
    return null;
  }
}

/** The second form as it is stored. Avro has made values of no sealed headers and of no trail, which nearly all requests are without. */
export const eventRequestText = ({ sealed = {}, trail = [], ...request }: EventRequest): string =>
  JSON.stringify({
    ...request,
    ...(Object.keys(sealed).length > 0 && { sealed }),
    ...(trail.length > 0 && { trail }),
  });

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
