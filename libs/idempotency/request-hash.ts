import { createHash } from 'node:crypto';

interface HashedRequest {
  method: string;
  /** Path and query as they were sent. */
  url: string;
  body: Buffer;
}

/** Two requests are the same if these are: SHA-256 over method, path with query, and body, each with its length before it. */
export const hashRequest = ({ method, url, body }: HashedRequest): Buffer =>
  hashParts([Buffer.from(method), Buffer.from(url), body]);

/** With the lengths, no two lists of parts are the same bytes. */
export function hashParts(parts: readonly Buffer[]): Buffer {
  const sha256 = createHash('sha256');
  for (const part of parts) sha256.update(`${part.length}:`).update(part);
  return sha256.digest();
}
