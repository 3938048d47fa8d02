import { sourceDefaults } from '#lib/contract';
import { schemeSettings, signatureSchemes } from '#lib/signatures';
import type { Context } from '../../context.ts';
import { collectHeaders } from '../../options/header-values.ts';
import { readBody } from '../../options/read-body.ts';
import { readScheme } from '../../options/read-scheme.ts';
import { readHeaders, readWholeNumber } from '../../options/read-values.ts';
import type { SchemeValues } from '../../options/scheme-options.ts';
import { printLine } from '../../output/print.ts';

type VerifyValues = SchemeValues & { header: string[] | undefined; tolerance: string | undefined; json: boolean };

export async function verify(values: VerifyValues, context: Context): Promise<number> {
  const { scheme, secrets, settings } = readScheme(values, 'verify');
  const headers = collectHeaders(readHeaders(values.header));
  const nowSeconds = readWholeNumber('now', values.now, {
    min: 0,
    max: 1e15,
    otherwise: Math.floor(context.clock.nowMs() / 1000),
  });
  const tolerance = readWholeNumber('tolerance', values.tolerance, {
    min: 0,
    max: 1e9,
    otherwise: sourceDefaults.timestamp_tolerance_seconds,
  });
  const body = await readBody(context, values['body-file']);
  const begun = signatureSchemes[scheme].begin({
    headers,
    secrets,
    nowSeconds,
    // --url holds the query of this request.
    query: '',
    settings: schemeSettings(scheme, { ...settings, timestamp_tolerance_seconds: tolerance }),
  });
  if ('check' in begun) begun.check.update(body);
  const verdict = 'check' in begun ? begun.check.finish() : begun.rejection;
  const isValid = verdict === 'valid';
  const facts = isValid ? { valid: true } : { valid: false, code: verdict };
  printLine(context, facts, values.json, () => (isValid ? 'valid' : `invalid: ${verdict}`));
  return isValid ? 0 : 1;
}
