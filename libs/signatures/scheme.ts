import type { HmacSettings, SourceSettings } from '#lib/contract';
import type { RandomBytes } from '#lib/runtime';

/**
 * A signature scheme, in the two steps that a server needs: `begin` checks all that the headers alone can tell, before any of the body is
 * read; the check that it gives is fed the body as it arrives and says at its end whether one of the secrets signed it.
 *
 * Schemes read nothing but what they are given, keep nothing between requests, and never throw for what a sender sent.
 */

export type SignatureRejection =
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_invalid'
  | 'timestamp_out_of_tolerance';

/**
 * HTTP headers by lower-case name; a list where a name came more than once. Node's own `request.headers` joins such values by comma,
 * which makes two signature headers look like one: build this from `rawHeaders`.
 */
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface SchemeSettings {
  /** Lower-case. */
  signatureHeader: string;
  /** How far a signed timestamp may be from now, both ways, inclusive. */
  toleranceSeconds: number;
  /** The URL that the sender believes it calls, as the source says; some schemes sign it. */
  publicUrl?: string | undefined;
  /** For the scheme `hmac` alone. */
  hmac?: HmacSettings | undefined;
}

export interface SignedRequest {
  headers: HeaderValues;
  /** All are valid; several during a rotation. */
  secrets: readonly string[];
  /** Whole seconds since the Unix epoch. */
  nowSeconds: number;
  /** The query of the request's URL as sent, with its `?`; empty if there is none. */
  query: string;
  settings: SchemeSettings;
}

export interface SignatureCheck {
  /** The next bytes of the body, in order. */
  update(chunk: Uint8Array): void;
  /** After the last byte; once. */
  finish(): 'valid' | SignatureRejection;
}

export type Begun = { check: SignatureCheck } | { rejection: SignatureRejection };

/** A source's settings for verification, as its user set them. */
export interface SchemeSource {
  settings: SourceSettings;
  secret: string;
  /** For key pairs, which have one key for each purpose. Default: verify. */
  purpose?: 'verify' | 'sign';
}

/** A field of a source, as a JSON pointer (`/hmac/signed`), and its problem: the message follows the field's name. */
export interface SchemeProblem {
  field: string;
  message: string;
}

interface RequestToSign {
  secret: string;
  timestampSeconds: number;
  /** The exact bytes that go over the wire. */
  body: Uint8Array;
  /** The sender's identifier of the webhook; some schemes sign it. */
  id: string;
  settings: SchemeSettings;
}

export interface SignatureScheme {
  /** The header with the signature, unless a source names another; lower-case. */
  signatureHeader: string;
  /** The default places of the sender's event identifier and type: `header:Name` or JSON pointers into the body, tried in order. */
  identifyBy: readonly string[];
  typeBy: readonly string[];
  /** The default identifier counts together with this, where it alone doesn't name one webhook: identity-rule.ts. */
  countedWith?: 'body' | `header:${string}`;
  /** The headers that are signed beside the one with the signature; lower-case. */
  signedHeaders?(request: Pick<SignedRequest, 'headers' | 'settings'>): string[];
  /** The content type of the provider's webhooks; absent: JSON. */
  contentType?: string;
  /** Reasons why this scheme could verify nothing with these settings; its own alone, `schemeProblems` asks for all. */
  problemsOf?(source: SchemeSource): SchemeProblem[];
  /** A new secret, of the form that the provider's have. */
  generateSecret(random: RandomBytes): string;
  begin(request: SignedRequest): Begun;
  /** The headers with which the provider would send this body. The settings must be without problems. */
  sign(request: RequestToSign): Record<string, string>;
  /** The answer to a verified body that is only a connection test; undefined for every webhook. */
  challengeOf?(body: Buffer): string | undefined;
}

/**
 * Whether a signed time may pass: whole Unix seconds, of digits alone (never by parseInt or Number, to which `1700000000abc` and
 * `Infinity` are numbers). Any text of digits is a number, if perhaps one beyond all tolerance: the comparison never meets NaN.
 */
export function refuseTimestamp(
  text: string | undefined,
  { nowSeconds, settings }: Pick<SignedRequest, 'nowSeconds' | 'settings'>,
): SignatureRejection | undefined {
  if (text === undefined || !/^[0-9]+$/.test(text)) return 'signature_malformed';
  return Math.abs(nowSeconds - Number(text)) > settings.toleranceSeconds ? 'timestamp_out_of_tolerance' : undefined;
}

/** For schemes that sign fields of the body, or whose algorithm needs it whole. The caller limits its size. */
export function checkCollected(verify: (body: Buffer) => ReturnType<SignatureCheck['finish']>): SignatureCheck {
  const chunks: Uint8Array[] = [];
  return {
    update: (chunk) => void chunks.push(chunk),
    finish: () => verify(Buffer.concat(chunks)),
  };
}

/** Schemes that sign the URL need it exactly as entered at the provider; the request doesn't tell it. */
export function publicUrlProblems({ settings }: SchemeSource): SchemeProblem[] {
  const { public_url: url } = settings;
  if (url === undefined) {
    return [{ field: '/public_url', message: 'is required: the provider signs the URL that it was given' }];
  }
  return /^https?:\/\//.test(url) && URL.canParse(url)
    ? []
    : [{ field: '/public_url', message: 'must be an http or https URL' }];
}
