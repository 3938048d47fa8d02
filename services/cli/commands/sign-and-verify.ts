import { sourceDefaults } from '#lib/contract';
import { createId } from '#lib/runtime';
import { schemeSettings, signatureSchemes } from '#lib/signatures';
import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { verify as verifySignature } from '../listen/arrivals.ts';
import { readNow, readScheme, type SchemeValues } from '../options/schemes.ts';
import { collectHeaders, readBody, readHeaders, readWholeNumber } from '../options/values.ts';
import { printLine } from '../output/print.ts';

type SignValues = SchemeValues & { id: string | undefined; json: boolean };

export async function sign(values: SignValues, context: Context): Promise<number> {
  const { scheme, secrets, settings } = readScheme(values, 'sign');
  const [secret = '', ...others] = secrets;
  if (others.length > 0) throw usageFailure('--secret can be given once: one secret signs');
  const nowMs = context.clock.nowMs();
  const timestampSeconds = readNow(values, Math.floor(nowMs / 1000));
  const { id = createId('evt', nowMs) } = values;
  if (!/^[\x21-\x7e]{1,255}$/.test(id)) throw usageFailure('--id must be printable characters without spaces');
  const headers = signatureSchemes[scheme].sign({
    secret,
    timestampSeconds,
    body: await readBody(context, values['body-file']),
    id,
    settings: schemeSettings(scheme, settings),
  });
  printLine(context, headers, values.json, () =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  );
  return 0;
}

type VerifyValues = SchemeValues & { header: string[] | undefined; tolerance: string | undefined; json: boolean };

export async function verify(values: VerifyValues, context: Context): Promise<number> {
  const { scheme, secrets, settings } = readScheme(values, 'verify');
  const headers = collectHeaders(readHeaders(values.header));
  const nowSeconds = readNow(values, Math.floor(context.clock.nowMs() / 1000));
  const tolerance = readWholeNumber('tolerance', values.tolerance, {
    min: 0,
    max: 1e9,
    otherwise: sourceDefaults.timestamp_tolerance_seconds,
  });
  const body = await readBody(context, values['body-file']);
  const check = { name: scheme, settings: { ...settings, timestamp_tolerance_seconds: tolerance }, secrets };
  // --url holds the query of this request.
  const verdict = verifySignature(check, { headers, query: '', body, nowSeconds });
  const isValid = verdict === 'valid';
  const facts = isValid ? { valid: true } : { valid: false, code: verdict };
  printLine(context, facts, values.json, () => (isValid ? 'valid' : `invalid: ${verdict}`));
  return isValid ? 0 : 1;
}
