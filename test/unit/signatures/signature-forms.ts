/** The forms that signatures come in, written down from the providers' documents without any of our code. */
import { createHmac } from 'node:crypto';
import type { SourceScheme, SourceSettings } from '#lib/contract';
import type { HeaderValues } from '#lib/signatures';

interface Signed {
  secret: string;
  /** Seconds, as text. */
  time: string;
  id: string;
  body: Buffer;
}

interface Received {
  headers: HeaderValues;
  secrets: readonly string[];
  nowSeconds: number;
  body: Buffer;
}

export interface SchemeCase {
  name: string;
  scheme: SourceScheme;
  settings?: SourceSettings;
  /** Three secrets: the first two are the source's. */
  secrets: readonly [string, string, string];
  /** The verifier's half of a secret, where that is another one. */
  publicOf?: (secret: string) => string;
  /** The signature's header, one of those below, in lower case. */
  signature: string;
  time?: 'its own header' | 'in the signature';
  timeHeader?: string;
  headers(signed: Signed): Record<string, string>;
  accepts(received: Received): boolean;
  /** The request's query, where that depends on the body. */
  query?: (body: Buffer) => string;
  /** Makes a body that the provider could send of any bytes. */
  bodyOf?: (bytes: Buffer) => Buffer;
}

type Encoding = 'hex' | 'base64' | 'base64url';
export const hmac = (
  algorithm: string,
  key: string | Buffer,
  encoding: Encoding,
  ...pieces: (string | Buffer)[]
): string =>
  createHmac(algorithm, key)
    .update(Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))))
    .digest(encoding);

export const isFresh = (time: unknown, nowSeconds: number): time is string =>
  typeof time === 'string' && /^[0-9]+$/.test(time) && Math.abs(Number(time) - nowSeconds) <= 300;

/** One header, one signature: nothing but the exact text will do. */
export function single(
  header: string,
  prefix: string,
  mac: (secret: string, body: Buffer) => string,
): Pick<SchemeCase, 'signature' | 'headers' | 'accepts'> {
  return {
    signature: header,
    headers: ({ secret, body }) => ({ [header]: prefix + mac(secret, body) }),
    accepts: ({ headers, secrets, body }) => secrets.some((secret) => headers[header] === prefix + mac(secret, body)),
  };
}

/** `t=…,v1=…` and its like. */
export function parts(header: string, separator: string, time: string, signature: string, joint: string) {
  const mac = (secret: string, at: string, body: Buffer): string => hmac('sha256', secret, 'hex', at + joint, body);
  return {
    signature: header,
    time: 'in the signature',
    headers: ({ secret, time: at, body }) => ({
      [header]: `${time}=${at}${separator}${signature}=${mac(secret, at, body)}`,
    }),
    accepts({ headers, secrets, nowSeconds, body }) {
      const given = headers[header];
      const all = typeof given === 'string' ? given.split(separator) : [];
      const times = all.filter((part) => part === time || part.startsWith(`${time}=`));
      const [at = ''] = times.map((part) => part.slice(time.length + 1));
      return (
        all.length <= 10 &&
        times.length === 1 &&
        isFresh(at, nowSeconds) &&
        secrets.some((secret) => all.includes(`${signature}=${mac(secret, at, body)}`))
      );
    },
  } satisfies Partial<SchemeCase>;
}

/** The three headers of Standard Webhooks. */
export function standard(prefix: string, signatureOf: (secret: string, message: Buffer) => string) {
  const [id, time, signature] = [`${prefix}-id`, `${prefix}-timestamp`, `${prefix}-signature`];
  const signed = (secret: string, itsId: string, at: string, body: Buffer): string =>
    signatureOf(secret, Buffer.concat([Buffer.from(`${itsId}.${at}.`), body]));
  return {
    signature,
    time: 'its own header',
    timeHeader: time,
    headers: (given) => ({
      [id]: given.id,
      [time]: given.time,
      [signature]: signed(given.secret, given.id, given.time, given.body),
    }),
    accepts({ headers, secrets, nowSeconds, body }) {
      const given = headers[signature];
      const [itsId, at] = [headers[id], headers[time]];
      if (typeof given !== 'string' || typeof itsId !== 'string' || !/^[ -~]+$/.test(itsId)) return false;
      const all = given.split(' ');
      if (all.length > 10 || !isFresh(at, nowSeconds)) return false;
      return secrets.some((secret) => all.includes(signed(secret, itsId, at, body)));
    },
  } satisfies Partial<SchemeCase>;
}
