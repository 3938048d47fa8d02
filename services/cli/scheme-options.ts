import { type HmacSettings, type SourceScheme, sourceSchemes, type SourceSettings } from '#lib/contract';
import { schemeProblems } from '#lib/signatures';
import { usageFailure } from './command.ts';

/** Whatever a source says of its scheme, beside its name and secret. */
export const schemeSettingOptions = {
  url: { type: 'string' },
  'signature-header': { type: 'string' },
  'hmac-algorithm': { type: 'string' },
  'hmac-encoding': { type: 'string' },
  'hmac-header': { type: 'string' },
  'hmac-prefix': { type: 'string' },
  'hmac-signed': { type: 'string' },
  'hmac-timestamp-header': { type: 'string' },
  'hmac-id-header': { type: 'string' },
} as const;

/** Of `sign`, `verify` and whatever signs. */
export const schemeOptions = {
  scheme: { type: 'string' },
  secret: { type: 'string', multiple: true },
  'body-file': { type: 'string' },
  now: { type: 'string' },
  ...schemeSettingOptions,
} as const;

export const schemeOptionsHelp = `  --scheme NAME            ${sourceSchemes.slice(0, 6).join(', ')},
                           ${sourceSchemes.slice(6).join(', ')}
  --body-file FILE         the exact bytes of the body; - is the standard input
  --now UNIX               the time in seconds since 1970, instead of this one
  --url URL                as the provider has it: square and twilio sign it
  --signature-header NAME  instead of the scheme's own
  --hmac-algorithm, --hmac-encoding, --hmac-header, --hmac-prefix, --hmac-signed,
  --hmac-timestamp-header, --hmac-id-header
                           of the scheme hmac, as in a source's \`hmac\`: sha256, hex,
                           X-Signature, sha256=, timestamp.body, …
  --json                   for programs`;

type Given = Partial<Record<Exclude<keyof typeof schemeOptions, 'secret'>, string>> & { secret?: string[] };

/** The scheme, and the settings that a source of it would have. */
export function readScheme(given: Given, purpose: 'verify' | 'sign') {
  const scheme = sourceSchemes.find((known) => known === given.scheme);
  if (scheme === undefined) throw usageFailure(`--scheme must be one of ${sourceSchemes.join(', ')}`);
  const secrets = given.secret ?? [];
  if (secrets.length === 0) throw usageFailure('--secret is missing');
  const settings = readSettings(given);
  for (const secret of secrets) refuseProblems(scheme, { settings, secret, purpose });
  return { scheme, secrets, settings };
}

function readSettings(given: Given): SourceSettings {
  const hmac = {
    algorithm: given['hmac-algorithm'],
    encoding: given['hmac-encoding'],
    header: given['hmac-header'],
    prefix: given['hmac-prefix'],
    signed: given['hmac-signed'],
    timestamp_header: given['hmac-timestamp-header'],
    id_header: given['hmac-id-header'],
  };
  const isGiven = Object.values(hmac).some((value) => value !== undefined);
  return {
    ...(given['signature-header'] !== undefined && { signature_header: given['signature-header'] }),
    ...(given.url !== undefined && { public_url: given.url }),
    // What is missing of it or wrong is for the scheme to say.
    ...(isGiven && { hmac: hmac as HmacSettings }),
  };
}

export function refuseProblems(scheme: SourceScheme, source: Parameters<typeof schemeProblems>[1]): void {
  const problems = schemeProblems(scheme, source).map(({ field, message }) => `${optionOf(field)} ${message}`);
  if (problems.length > 0) throw usageFailure(problems.join('; '));
}

/** `/hmac/timestamp_header` is `--hmac-timestamp-header`. */
const optionOf = (field: string): string =>
  field === '/public_url' ? '--url' : `--${field.slice(1).replace(/[/_]/g, '-')}`;
