import { createHash } from 'node:crypto';
import type { KeyedRequest } from './ports.ts';

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

/** The row's primary key. */
export const identityOf = ({ tenant, credential, keyHash }: KeyedRequest): unknown[] => [tenant, credential, keyHash];

/** 64 bits: two keys that share a lock only answer each other with a conflict, and only while one is in progress. */
export const lockIdOf = ({ tenant, credential, keyHash }: KeyedRequest): string =>
  hashParts([Buffer.from(tenant), Buffer.from(credential), keyHash])
    .readBigInt64BE()
    .toString();
