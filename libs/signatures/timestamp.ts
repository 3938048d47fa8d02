import type { SignatureRejection, SignedRequest } from './scheme.ts';

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
