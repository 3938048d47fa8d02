import { isUtf8 } from 'node:buffer';
import type { RandomBytes } from '#lib/runtime';
import { schemeProblems, schemeSettings, signatureSchemes } from '#lib/signatures';
import { currentSecret } from '../../resources/stored-secrets.ts';
import { verdictOf, type VerifiedSource } from './verdict.ts';

export interface Sample {
  headers: Record<string, string>;
  body: Buffer;
}

interface Asked {
  /** Default: a body as the scheme's provider could send it. */
  body: Buffer | undefined;
  nowMs: number;
  random: RandomBytes;
}

const sampleType = 'sample';
const form = 'application/x-www-form-urlencoded';
const json = 'application/json';

/** A webhook signed with the source's secret, as its provider would send it; or why there can be none. */
export function sampleWebhook(
  source: VerifiedSource,
  { body: given, nowMs, random }: Asked,
): Sample | { problem: string } {
  const { scheme: name, settings, secrets } = source;
  const scheme = signatureSchemes[name];
  const secret = currentSecret(secrets) ?? '';
  const [problem] = schemeProblems(name, { settings, secret, purpose: 'sign' });
  if (problem?.field === '/secret')
    return { problem: 'The source has a public key: only the sender, who has the private one, can sign' };

  const id = `sample_${random(12).toString('hex')}`;
  const idPlaces = [(settings.dedup_id ?? scheme.identifyBy)[0] ?? '/id'].flat();
  const typePlace = (settings.event_type_from ?? scheme.typeBy)[0] ?? '/type';
  const members = { ...Object.fromEntries(idPlaces.map((place) => [place, id])), [typePlace]: sampleType };
  const isForm = scheme.contentType === form;
  const body = given ?? Buffer.from(isForm ? `id=${id}&type=${sampleType}` : documentWith(members));
  const signed = scheme.sign({
    secret,
    body,
    id,
    timestampSeconds: Math.floor(nowMs / 1_000),
    settings: schemeSettings(name, settings),
  });
  const headers = joinHeaders([
    ['Content-Type', scheme.contentType ?? json],
    ...Object.entries(members).flatMap(([place, value]) => headerAt(place, value)),
    ...Object.entries(signed),
  ]);
  const lowered = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]));
  // A public_url, for instance, that has the hash of another body.
  return verdictOf(source, { headers: lowered, body, query: '' }, { nowMs }) === 'valid'
    ? { headers, body }
    : { problem: 'With the settings of the source, no signature of this body is valid: check `public_url`' };
}

const headerAt = (place: string, value: string): [string, string][] => {
  const [, name] = /^header:(.+)$/.exec(place) ?? [];
  return name === undefined ? [] : [[name, value]];
};

/** A later header replaces an earlier one of its name. */
const joinHeaders = (headers: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries(new Map(headers.map((header) => [header[0].toLowerCase(), header])).values());

/** JSON with these values at their pointers; places in headers are left out. */
function documentWith(members: Readonly<Record<string, string>>): string {
  const document = Object.create(null) as Record<string, unknown>;
  for (const [pointer, value] of Object.entries(members)) {
    if (!pointer.startsWith('/')) continue;
    const names = pointer
      .slice(1)
      .split('/')
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    let at = document;
    for (const [depth, name] of names.entries()) {
      const next = names[depth + 1];
      if (next === undefined) at[name] ??= value;
      else {
        const inner = at[name];
        at[name] =
          typeof inner === 'object' && inner !== null ? inner : next === '0' ? [] : (Object.create(null) as object);
        at = at[name] as Record<string, unknown>;
      }
    }
  }
  return JSON.stringify(document);
}

/** One line for a POSIX shell that sends the request: nothing in the values is read by the shell, or as the name of a file. */
export function curlLine(url: string, { headers, body }: Sample): string {
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const request = ['curl', '-sS', '-X', 'POST', quoted(url), ...given].join(' ');
  if (isText(body)) return `${request} --data-raw ${quoted(body.toString())}`;
  return `printf %s ${quoted(body.toString('base64'))} | base64 -d | ${request} --data-binary @-`;
}

/** Whether it can be an argument of a command. */
export const isText = (body: Buffer): boolean => isUtf8(body) && !body.includes(0);

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
