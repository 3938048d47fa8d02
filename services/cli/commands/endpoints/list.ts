import { connect, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions, readWholeNumber } from '../../options.ts';
import { print, table } from '../../output.ts';

export const help = `usage: hookline endpoints list

The endpoints that are not deleted, the oldest first.

  --limit N                    at most so many (default: all)
${tenantHelp('endpoints')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, { ...tenantOption, limit: { type: 'string' } });
  const limit = readWholeNumber('limit', values.limit, { min: 1, max: 1_000_000, otherwise: 1_000_000 });
  const endpoints = await connect(values.tenant).list<Record<string, unknown>>('/endpoints', limit);
  print(endpoints, values.json, (shown) => table(shown, ['id', 'url', 'event_types', 'disabled_reason', 'created_at']));
  return 0;
}
