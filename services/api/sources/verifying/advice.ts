/** Advice about a webhook whose signature is refused: found by verifying it once more with one thing changed. */
import { sourceDefaults } from '#lib/contract';
import { type HeaderValues, schemeSettings, type SignatureRejection, signatureSchemes } from '#lib/signatures';
import { type GivenWebhook, type VerifiedSource, verdictOf } from './verdict.ts';

interface Refused {
  source: VerifiedSource;
  webhook: GivenWebhook;
  nowMs: number;
}

export function advice(rejection: SignatureRejection, refused: Refused): string {
  switch (rejection) {
    case 'signature_missing':
      return aboutMissing(refused);
    case 'signature_malformed':
      return aboutMalformed(refused);
    case 'timestamp_out_of_tolerance':
      return aboutTime(refused);
    case 'signature_invalid':
      return aboutSignature(refused);
  }
}

const settingsOf = ({ scheme, settings }: VerifiedSource) => schemeSettings(scheme, settings);

const signedHeaders = (source: VerifiedSource, headers: HeaderValues): string[] =>
  signatureSchemes[source.scheme].signedHeaders?.({ headers, settings: settingsOf(source) }) ?? [];

function aboutMissing({ source, webhook: { headers } }: Refused): string {
  const { signatureHeader } = settingsOf(source);
  const others = Object.entries(signatureSchemes).flatMap(([name, scheme]) =>
    name !== source.scheme && headers[scheme.signatureHeader] !== undefined ? [name] : [],
  );
  const wanted = `Send the header \`${signatureHeader}\``;
  return others.length > 0
    ? `${wanted}. The headers are those of ${others.join(', ')}, and the scheme of the source is ${source.scheme}`
    : `${wanted}: docs/signature-schemes.md`;
}

function aboutMalformed({ source, webhook: { headers } }: Refused): string {
  const { signatureHeader } = settingsOf(source);
  if (Array.isArray(headers[signatureHeader])) return `Send the header \`${signatureHeader}\` once`;
  const missing = signedHeaders(source, headers).filter((name) => headers[name] === undefined);
  if (missing.length > 0)
    return `Send the signed headers too: ${missing.map((name) => `\`${name}\``).join(', ')} is missing`;
  return `Write \`${signatureHeader}\` and the headers that are signed as the scheme ${source.scheme} has them: docs/signature-schemes.md`;
}

function aboutTime({ source, webhook, nowMs }: Refused): string {
  const tolerance = source.settings.timestamp_tolerance_seconds ?? sourceDefaults.timestamp_tolerance_seconds;
  const given = timestampIn(source, webhook);
  if (given === undefined) return 'Sign with the current time, in whole seconds since 1970';
  if (given > 1e11) return 'The timestamp is in milliseconds: sign with whole seconds since 1970';
  const awaySeconds = Math.floor(nowMs / 1_000) - given;
  const away = awaySeconds > 0 ? `${awaySeconds} seconds ago` : `${-awaySeconds} seconds in the future`;
  const verdict = verdictOf(source, webhook, {
    nowMs: given * 1_000,
    secrets: source.secrets.map(({ secret }) => secret),
  });
  const rest = verdict === 'valid' ? 'the signature itself is valid' : 'the signature itself is wrong, too';
  return `Signed ${away}, and the source allows ${tolerance}: check the sender's clock, and sign each retry anew; ${rest}`;
}

/** A number in the headers that the scheme takes for the time. */
function timestampIn(source: VerifiedSource, webhook: GivenWebhook): number | undefined {
  const names = [settingsOf(source).signatureHeader, ...signedHeaders(source, webhook.headers)];
  const numbers = names
    .flatMap((name) => [...textOf(webhook.headers, name).matchAll(/(?<!\w)\d{1,15}(?!\w)/g)])
    .map(([digits]) => Number(digits));
  // The time is checked before the body, which need not be hashed for each.
  const headersAlone = { ...webhook, body: Buffer.alloc(0) };
  return numbers
    .slice(0, maxNumbers)
    .find((seconds) => verdictOf(source, headersAlone, { nowMs: seconds * 1_000 }) !== 'timestamp_out_of_tolerance');
}

const maxNumbers = 10;

function textOf(headers: HeaderValues, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

/** Above this, other forms of the body are not tried: each is hashed once more. */
const maxTriedBytes = 64 * 1024;

function aboutSignature(refused: Refused): string {
  const { source, webhook, nowMs } = refused;
  const isValid = (body: Buffer, secrets?: readonly string[]): boolean =>
    verdictOf(source, { ...webhook, body }, { nowMs, ...(secrets && { secrets }) }) === 'valid';

  const expired = source.secrets.find(({ secret }) => isValid(webhook.body, [secret]));
  if (expired !== undefined)
    return `Signed with a secret that expired at ${expired.expires_at}: give the sender the current one`;
  if (webhook.body.length <= maxTriedBytes) {
    const fitting = otherForms(webhook.body).find(({ body }) => isValid(body));
    if (fitting !== undefined)
      return `The sender signed the body ${fitting.form}: sign exactly the bytes that are sent, and verify those that arrived`;
  }
  const { publicUrl } = settingsOf(source);
  const url = publicUrl === undefined ? '' : ', that `public_url` is exactly the URL that the sender signs';
  return `Check that the sender signs with the secret of this source${url}, and that nothing changes the body on its way`;
}

/** Forms that a body has by mistake: parsed and written again, or with another end. */
function otherForms(body: Buffer): { body: Buffer; form: string }[] {
  const text = body.toString();
  const forms = [
    { body: Buffer.from(text.replace(/[\r\n]+$/, '')), form: 'without its last line break' },
    { body: Buffer.from(`${text}\n`), form: 'with a line break at its end' },
    { body: Buffer.from(text.replaceAll('\r\n', '\n')), form: 'with \\n as line breaks' },
    { body: Buffer.from(text.replaceAll(/(?<!\r)\n/g, '\r\n')), form: 'with \\r\\n as line breaks' },
    { body: Buffer.alloc(0), form: 'as an empty text' },
  ];
  try {
    const json = JSON.parse(text) as unknown;
    forms.push({ body: Buffer.from(JSON.stringify(json)), form: 'as JSON without spaces' });
    forms.push({ body: Buffer.from(JSON.stringify(json, null, 2)), form: 'as indented JSON' });
  } catch {
    // Not JSON.
  }
  return forms.filter(({ body: other }) => !other.equals(body));
}
