import { type HmacSettings, type SourceScheme, sourceSchemes, type SourceSettings } from '#lib/contract';
import { schemeProblems } from '#lib/signatures';
import { usageFailure } from '../command-failure.ts';
import { list, text, type Values } from '../verb.ts';
import { readWholeNumber } from './values.ts';

/** @throws CommandFailure for a scheme, settings or secret that a source could not have */
export function readScheme(given: SchemeValues, purpose: 'verify' | 'sign') {
  const scheme = sourceSchemes.find((known) => known === given.scheme);
  if (scheme === undefined) throw usageFailure(`--scheme must be one of ${sourceSchemes.join(', ')}`);
  const secrets = given.secret ?? [];
  if (secrets.length === 0) throw usageFailure('missing --secret');
  const settings = readSettings(given);
  for (const secret of secrets) refuseProblems(scheme, { settings, secret, purpose });
  return { scheme, secrets, settings };
}

function readSettings(given: SchemeValues): SourceSettings {
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
    // The scheme reports missing or invalid fields.
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

/** Settings of a scheme, besides its name and secret. */
export const schemeSettingOptions = {
  url: text('URL', 'the URL that the provider was given, for schemes that sign it'),
  'signature-header': text('NAME', 'the header of the signature (default: the scheme’s own)'),
  'hmac-algorithm': text('NAME', 'of the scheme hmac: sha256, …'),
  'hmac-encoding': text('NAME', 'of the scheme hmac: hex, …'),
  'hmac-header': text('NAME', 'of the scheme hmac: the header of the signature'),
  'hmac-prefix': text('TEXT', 'of the scheme hmac: what the signature begins with, such as sha256='),
  'hmac-signed': text('PARTS', 'of the scheme hmac: what is signed, such as timestamp.body'),
  'hmac-timestamp-header': text('NAME', 'of the scheme hmac: the header of the timestamp'),
  'hmac-id-header': text('NAME', 'of the scheme hmac: the header of the id'),
};

/** Options of every verb that signs or verifies. */
export const schemeOptions = {
  scheme: text('NAME', sourceSchemes.join(', ')),
  'body-file': text('FILE', 'the exact bytes of the body; - reads the standard input'),
  now: text('UNIX', 'the time in seconds since 1970 (default: now)'),
  ...schemeSettingOptions,
};

/** In seconds. */
export const readNow = <Otherwise extends number | undefined>({ now }: SchemeValues, otherwise: Otherwise) =>
  readWholeNumber('now', now, { min: 0, max: 1e15, otherwise });

export const secretOption = (help: string) => ({ secret: list('SECRET', help) });

export type SchemeValues = Partial<Omit<Values<typeof schemeOptions & ReturnType<typeof secretOption>>, 'json'>>;
