import { systemClock } from '#lib/clock';
import { sourceDefaults } from '#lib/contract';
import { schemeSettings, signatureSchemes } from '#lib/signatures';
import { collectHeaders } from '../header-values.ts';
import { readHeaders, readOptions, readWholeNumber } from '../options.ts';
import { printLine } from '../output.ts';
import { readBody } from '../read-body.ts';
import { readScheme, schemeOptions, schemeOptionsHelp } from '../scheme-options.ts';

export const help = `usage: hookline verify --scheme NAME --secret SECRET --header 'Name: value' --body-file FILE [options]

Says what the ingress would say of a webhook: prints \`valid\` and exits 0, or \`invalid: <code>\` and exits 1. The codes are
signature_missing, signature_malformed, signature_invalid and timestamp_out_of_tolerance. A wrong call exits 2.

  --secret SECRET          any of several will do; of standard-webhooks also whpk_…, an Ed25519 public key
  --header 'Name: value'   of the request, as often as needed
  --tolerance SECONDS      how far a signed time may be from now, both ways; ${sourceDefaults.timestamp_tolerance_seconds} by default
${schemeOptionsHelp}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, {
    ...schemeOptions,
    header: { type: 'string', multiple: true },
    tolerance: { type: 'string' },
  });
  const { scheme, secrets, settings } = readScheme(values, 'verify');
  const headers = collectHeaders(readHeaders(values.header));
  const nowSeconds = readWholeNumber('now', values.now, {
    min: 0,
    max: 1e15,
    otherwise: Math.floor(systemClock.nowMs() / 1000),
  });
  const tolerance = readWholeNumber('tolerance', values.tolerance, {
    min: 0,
    max: 1e9,
    otherwise: sourceDefaults.timestamp_tolerance_seconds,
  });
  const body = await readBody(values['body-file']);
  const begun = signatureSchemes[scheme].begin({
    headers,
    secrets,
    nowSeconds,
    // The URL is given whole, with the query of this request.
    query: '',
    settings: schemeSettings(scheme, { ...settings, timestamp_tolerance_seconds: tolerance }),
  });
  if ('check' in begun) begun.check.update(body);
  const verdict = 'check' in begun ? begun.check.finish() : begun.rejection;
  const isValid = verdict === 'valid';
  const facts = isValid ? { valid: true } : { valid: false, code: verdict };
  printLine(facts, values.json, () => (isValid ? 'valid' : `invalid: ${verdict}`));
  return isValid ? 0 : 1;
}
