import { connect, pathOf, tenantOption } from './connect.ts';
import { omitAbsent, readOptions, readWholeNumber } from './options.ts';
import { describe, print } from './output.ts';

const month = 30 * 24 * 3600;

export const rotateSecretHelp = `  --overlap-seconds N          how long the old secret stays valid (default: 86400); 0 where it has leaked`;

/** Of a source or an endpoint, as this call says. */
export async function rotateSecret(collection: 'sources' | 'endpoints', args: readonly string[]): Promise<number> {
  const options = { ...tenantOption, secret: { type: 'string' }, 'overlap-seconds': { type: 'string' } } as const;
  const { values, given } = readOptions(args, options, ['id']);
  const overlap = values['overlap-seconds'];
  const body = {
    ...omitAbsent({ secret: values.secret }),
    ...(overlap !== undefined && {
      overlap_seconds: readWholeNumber('overlap-seconds', overlap, { min: 0, max: month, otherwise: 0 }),
    }),
  };
  const path = `${pathOf(collection, given.id)}/rotate-secret`;
  print(await connect(values.tenant).ask<Record<string, unknown>>('POST', path, { body }), values.json, describe);
  return 0;
}
