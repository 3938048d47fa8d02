import { connect, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions, readWholeNumber } from '../../options.ts';
import { print, table } from '../../output.ts';

export const help = `usage: hookline api-keys list

The keys that are not revoked, the oldest first, with when each was last used, to the minute.

  --limit N                    at most so many (default: all)
${tenantHelp('keys')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, { ...tenantOption, limit: { type: 'string' } });
  const limit = readWholeNumber('limit', values.limit, { min: 1, max: 1_000_000, otherwise: 1_000_000 });
  const keys = await connect(values.tenant).list<Record<string, unknown>>('/api-keys', limit);
  print(keys, values.json, (shown) => table(shown, ['id', 'name', 'scopes', 'created_at', 'last_used_at']));
  return 0;
}
