import { readOptions, readWholeNumber } from '../../options.ts';
import { describe, print } from '../../output.ts';
import { connect, pathOf, tenantHelp, tenantOption } from './connect.ts';

export const help = `usage: hookline sources rotate-secret <id>

Prints the new secret: this is the only time that it is shown. Both are valid until the overlap has passed.

  --overlap-seconds N          how long the old secret stays valid (default: 86400); 0 where it has leaked
  --secret TEXT                the provider's new one, where it has made one (default: a new one)
${tenantHelp}`;

const month = 30 * 24 * 3600;

export async function run(args: readonly string[]): Promise<number> {
  const options = { ...tenantOption, secret: { type: 'string' }, 'overlap-seconds': { type: 'string' } } as const;
  const { values, given } = readOptions(args, options, ['id']);
  const overlap = values['overlap-seconds'];
  const body = {
    ...(values.secret !== undefined && { secret: values.secret }),
    ...(overlap !== undefined && {
      overlap_seconds: readWholeNumber('overlap-seconds', overlap, { min: 0, max: month, otherwise: 0 }),
    }),
  };
  const path = `${pathOf(given.id)}/rotate-secret`;
  print(await connect(values.tenant).ask<Record<string, unknown>>('POST', path, { body }), values.json, describe);
  return 0;
}
