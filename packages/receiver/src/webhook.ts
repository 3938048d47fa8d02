import type { HeaderValues } from './headers.ts';

/** A webhook whose signature is valid. */
export interface Webhook {
  /** The same on every attempt and replay. It is signed, except in the scheme `hookline`. */
  id: string;
  /** When the sender signed this attempt: whole seconds since the Unix epoch. */
  timestampSeconds: number;
  /** `Hookline-Event-Type`, which no signature covers. */
  type: string | undefined;
  /** `Hookline-Attempt`, from 1 on; no signature covers it. */
  attempt: number | undefined;
  headers: HeaderValues;
  /** The exact bytes that were signed; encoded if there is a `Content-Encoding`. */
  body: Buffer;
  /** @throws Error if the body is not JSON, or is encoded */
  json(): unknown;
}

export function createWebhook(given: Pick<Webhook, 'id' | 'timestampSeconds' | 'headers' | 'body'>): Webhook {
  const { headers, body } = given;
  const attempt = Number(one(headers, 'hookline-attempt'));
  return {
    ...given,
    type: one(headers, 'hookline-event-type'),
    attempt: Number.isSafeInteger(attempt) ? attempt : undefined,
    json() {
      const coding = one(headers, 'content-encoding') ?? 'identity';
      if (coding !== 'identity') throw new Error(`the body is encoded: decode it from ${coding} first`);
      return JSON.parse(body.toString('utf8')) as unknown;
    },
  };
}

function one(headers: HeaderValues, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
