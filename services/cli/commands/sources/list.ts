import { connect, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions, readWholeNumber } from '../../options.ts';
import { print, table } from '../../output.ts';

export const help = `usage: hookline sources list

The sources that are not deleted, the oldest first.

  --limit N                    at most so many (default: all)
${tenantHelp('sources')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, { ...tenantOption, limit: { type: 'string' } });
  const limit = readWholeNumber('limit', values.limit, { min: 1, max: 1_000_000, otherwise: 1_000_000 });
  const sources = await connect(values.tenant).list<Record<string, unknown>>('/sources', limit);
  print(sources, values.json, (shown) => table(shown, ['id', 'name', 'scheme', 'created_at']));
  return 0;
}
