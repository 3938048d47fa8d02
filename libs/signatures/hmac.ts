import type { HmacSettings } from '#lib/contract';
import { plainHeader, readSignature, spelled } from './header-values.ts';
import { beginHmac, type HmacForm, signHmac, textKeys } from './hmac-check.ts';
import {
  publicUrlProblems,
  refuseTimestamp,
  type SchemeProblem,
  type SchemeSettings,
  type SchemeSource,
  type SignatureScheme,
} from './scheme.ts';
import { generateSecret } from './secret.ts';
import { parseSignedTemplate, type SignedTemplate } from './signed-template.ts';

const algorithms = ['sha1', 'sha256', 'sha384', 'sha512'];
const encodings = ['hex', 'base64', 'base64url'];
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** An HMAC as the source's `hmac` describes it, for all providers that have no scheme of their own here. */
export const hmac: SignatureScheme = {
  // A placeholder: each source names its own.
  signatureHeader: 'x-signature',
  signedHeaders: ({ settings: { hmac: wanted } }) =>
    [wanted?.id_header, wanted?.timestamp_header].flatMap((name) => (name === undefined ? [] : [name.toLowerCase()])),
  identifyBy: ['/id', '/event_id', '/message_id'],
  // A guess: it may name an object, such as an order, and not the webhook.
  countedWith: 'body',
  typeBy: ['/type'],
  problemsOf,
  generateSecret,

  begin(request) {
    const { headers, secrets, settings } = request;
    const scheme = readSettings(settings);
    if (scheme === undefined) return { rejection: 'signature_invalid' };
    const { wanted, template } = scheme;
    const read = readSignature(headers, settings.signatureHeader, wanted.prefix);
    if ('rejection' in read && read.rejection !== 'signature_invalid') return read;
    const valueOf = (part: 'id' | 'timestamp', header = ''): string | undefined =>
      template.has(part) ? plainHeader(headers, header.toLowerCase()) : '';
    const id = valueOf('id', wanted.id_header);
    const timestamp = valueOf('timestamp', wanted.timestamp_header);
    if (id === undefined || timestamp === undefined) return { rejection: 'signature_malformed' };
    const rejection = template.has('timestamp') ? refuseTimestamp(timestamp, request) : undefined;
    if (rejection !== undefined) return { rejection };
    if ('rejection' in read) return read;
    const { url } = scheme;
    const form = { ...formOf(wanted), ...template.fill({ id, timestamp, url }) };
    return beginHmac(form, textKeys(secrets), [canonical(read.signature, wanted.encoding)]);
  },

  sign({ secret, timestampSeconds, body, id, settings }) {
    const scheme = readSettings(settings);
    if (scheme === undefined) return {};
    const { wanted, template, url } = scheme;
    const timestamp = String(timestampSeconds);
    const form = { ...formOf(wanted), ...template.fill({ id, timestamp, url }) };
    return {
      ...(template.has('id') ? { [wanted.id_header ?? '']: id } : {}),
      ...(template.has('timestamp') ? { [wanted.timestamp_header ?? '']: timestamp } : {}),
      [spelled(wanted.header, settings)]: (wanted.prefix ?? '') + signHmac(form, secret, body),
    };
  },
};

interface ReadSettings {
  wanted: HmacSettings;
  template: SignedTemplate;
  url: string;
}

function readSettings({ hmac: wanted, publicUrl: url = '' }: SchemeSettings): ReadSettings | undefined {
  const template = wanted === undefined ? undefined : parseSignedTemplate(wanted.signed);
  return wanted === undefined || template === undefined || (template.has('url') && url === '')
    ? undefined
    : { wanted, template, url };
}

const formOf = ({ algorithm, encoding }: HmacSettings): HmacForm => ({ algorithm, encoding });

/** Providers differ in the case of hex and in the padding of base64url; the bytes are the same. */
function canonical(signature: string, encoding: HmacSettings['encoding']): string {
  if (encoding === 'hex') return signature.toLowerCase();
  return encoding === 'base64url' ? signature.replace(/={1,2}$/, '') : signature;
}

function problemsOf(source: SchemeSource): SchemeProblem[] {
  const { hmac: wanted, signature_header: header } = source.settings;
  if (wanted === undefined) return [{ field: '/hmac', message: 'is required: it says how the signature is made' }];
  const template = typeof wanted.signed === 'string' ? parseSignedTemplate(wanted.signed) : undefined;
  const { prefix = '' } = wanted;
  const rules: readonly (readonly [field: string, isMet: boolean, message: string])[] = [
    ['/signature_header', header === undefined, 'must be absent: /hmac/header names the header'],
    ['/hmac/algorithm', algorithms.includes(wanted.algorithm), `must be one of ${algorithms.join(', ')}`],
    ['/hmac/encoding', encodings.includes(wanted.encoding), `must be one of ${encodings.join(', ')}`],
    ['/hmac/header', isHeaderName(wanted.header), 'must be the name of an HTTP header'],
    ['/hmac/prefix', isPrefix(prefix), 'must be at most 100 printable characters'],
    ['/hmac/signed', template !== undefined, 'must join id, timestamp, url, body, the body once: timestamp.body'],
    ...headerRules('timestamp', wanted.timestamp_header, template),
    ...headerRules('id', wanted.id_header, template),
  ];
  const problems = rules.filter(([, isMet]) => !isMet).map(([field, , message]) => ({ field, message }));
  return template?.has('url') === true ? [...problems, ...publicUrlProblems(source)] : problems;
}

/** A header outside of the signature can say anything, so it is not read at all; a user who names one would believe that it counts. */
const headerRules = (part: 'timestamp' | 'id', header: string | undefined, template: SignedTemplate | undefined) =>
  template === undefined || template.has(part)
    ? ([[`/hmac/${part}_header`, template === undefined || isHeaderName(header), 'must name the header']] as const)
    : ([
        [`/hmac/${part}_header`, header === undefined, `must be absent, since ${part} is not in /hmac/signed`],
      ] as const);

const isHeaderName = (name: unknown): boolean => typeof name === 'string' && headerName.test(name);

const isPrefix = (prefix: unknown): boolean =>
  typeof prefix === 'string' && /^[\x21-\x7e][\x20-\x7e]{0,99}$|^$/.test(prefix);
