import { systemClock } from '#lib/clock';
import { createId } from '#lib/ids';
import { schemeSettings, signatureSchemes } from '#lib/signatures';
import { usageFailure } from '../command.ts';
import { readOptions, readWholeNumber } from '../options.ts';
import { printLine } from '../output.ts';
import { readBody } from '../read-body.ts';
import { readScheme, schemeOptions, schemeOptionsHelp } from '../scheme-options.ts';

export const help = `usage: hookline sign --scheme NAME --secret SECRET --body-file FILE [options]

Prints the headers with which the scheme's provider would send the body, one a line: give each to \`curl -H\`.

  --secret SECRET          of standard-webhooks also whsk_…, an Ed25519 private key
  --id ID                  of the webhook, where the scheme signs one; a new one by default
${schemeOptionsHelp}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, { ...schemeOptions, id: { type: 'string' } });
  const { scheme, secrets, settings } = readScheme(values, 'sign');
  const [secret = '', ...others] = secrets;
  if (others.length > 0) throw usageFailure('--secret can be given once: a body is signed by one');
  const nowMs = systemClock.nowMs();
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
    body: await readBody(values['body-file']),
    id,
    settings: schemeSettings(scheme, settings),
  });
  printLine(headers, values.json, () =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  );
  return 0;
}
