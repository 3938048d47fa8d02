import { sourceSchemes } from '#lib/contract';
import { list, text, type Values } from '../verb.ts';

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

export const secretOption = (help: string) => ({ secret: list('SECRET', help) });

export type SchemeValues = Partial<Omit<Values<typeof schemeOptions & ReturnType<typeof secretOption>>, 'json'>>;
