import type { KeyedRequest } from './ports.ts';
import { hashParts } from './request-hash.ts';

/** The row's primary key. */
export const identityOf = ({ tenant, credential, keyHash }: KeyedRequest): unknown[] => [tenant, credential, keyHash];

/** 64 bits: two keys that share a lock only answer each other with a conflict, and only while one is in progress. */
export const lockIdOf = ({ tenant, credential, keyHash }: KeyedRequest): string =>
  hashParts([Buffer.from(tenant), Buffer.from(credential), keyHash])
    .readBigInt64BE()
    .toString();
