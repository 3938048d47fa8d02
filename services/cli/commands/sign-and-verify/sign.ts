import { createId } from '#lib/ids';
import { schemeSettings, signatureSchemes } from '#lib/signatures';
import { usageFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { readBody } from '../../options/read-body.ts';
import { readScheme } from '../../options/read-scheme.ts';
import { readWholeNumber } from '../../options/read-values.ts';
import type { SchemeValues } from '../../options/scheme-options.ts';
import { printLine } from '../../output/print.ts';

type SignValues = SchemeValues & { id: string | undefined; json: boolean };

export async function sign(values: SignValues, context: Context): Promise<number> {
  const { scheme, secrets, settings } = readScheme(values, 'sign');
  const [secret = '', ...others] = secrets;
  if (others.length > 0) throw usageFailure('--secret can be given once: one secret signs');
  const nowMs = context.clock.nowMs();
  const timestampSeconds = readWholeNumber('now', values.now, {
    min: 0,
    max: 1e15,
    otherwise: Math.floor(nowMs / 1000),
  });
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
