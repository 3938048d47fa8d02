import type { SecretBox } from '#lib/secret-box';
import type { KeptResponse, KeyedRequest } from './ports.ts';

/**
 * Answers at rest: some hold secrets that are shown once. Sealed for their own record and request: an answer that is copied into another
 * row, or whose row is given another hash, does not open.
 */
export function sealResponse(box: SecretBox, request: KeyedRequest, { status, headers, body }: KeptResponse): Buffer {
  const head = Buffer.from(`${JSON.stringify({ status, headers })}\n`);
  return box.seal(Buffer.concat([head, body]), contextOf(request));
}

/** @throws AppError data_invalid if it was encrypted for another record, or under a key that is no longer configured */
export function openResponse(box: SecretBox, request: KeyedRequest, sealed: Buffer): KeptResponse {
  const opened = box.openBytes(sealed, contextOf(request));
  // JSON has no line breaks outside of its strings, and writes those inside with a backslash.
  const headEnd = opened.indexOf('\n');
  const head = JSON.parse(opened.toString('utf8', 0, headEnd)) as Omit<KeptResponse, 'body'>;
  return { ...head, body: opened.subarray(headEnd + 1) };
}

const contextOf = ({ tenant, credential, keyHash, requestHash }: KeyedRequest): string =>
  ['idempotency_keys', tenant, credential, keyHash.toString('hex'), requestHash.toString('hex')]
    .map((part) => `${part.length}:${part}`)
    .join('/');
