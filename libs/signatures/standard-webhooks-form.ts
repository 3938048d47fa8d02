import type { HmacForm } from './hmac-check.ts';

/** The signed text of Standard Webhooks: `<id>.<timestamp>.<body>`, by HMAC-SHA256 (`v1`) and by Ed25519 (`v1a`). */
export const formOf = (id: string, timestamp: string): HmacForm => ({
  algorithm: 'sha256',
  encoding: 'base64',
  before: `${id}.${timestamp}.`,
});

/** The same in one piece: Ed25519 hashes its message twice, and needs the whole body. */
export const messageOf = ({ before = '' }: HmacForm, body: Uint8Array | string): Buffer =>
  Buffer.concat([Buffer.from(before), typeof body === 'string' ? Buffer.from(body) : body]);
