import { usageFailure } from '../../command.ts';
import { connect, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';
import { readJson } from '../../read-text-file.ts';

export const help = `usage: hookline api-keys create --name NAME --scope SCOPE [--scope SCOPE …]

Prints the key: this is the only time that it is shown, and it is kept nowhere. It may do what its scopes say in one
tenant, and nothing in others.

  --name NAME                  by which it is known again
  --scope SCOPE                read, write, publish, or admin for all of them and for keys; repeatable
  --rate-limit JSON            {"per_second":100,"burst":200}
${tenantHelp('resources')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, {
    ...tenantOption,
    name: { type: 'string' },
    scope: { type: 'string', multiple: true },
    'rate-limit': { type: 'string' },
  });
  const { name, scope: scopes, 'rate-limit': rate } = values;
  if (name === undefined) throw usageFailure('--name is missing');
  if (scopes === undefined) throw usageFailure('--scope is missing: which of read, write, publish and admin?');
  const body = { name, scopes, ...(rate !== undefined && { rate_limit: readJson('rate-limit', rate) }) };
  const key = await connect(values.tenant).ask<Record<string, unknown>>('POST', '/api-keys', { body });
  print(key, values.json, describe);
  return 0;
}
