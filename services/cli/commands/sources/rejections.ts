import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions, readWholeNumber } from '../../options.ts';
import { print, table } from '../../output.ts';

export const help = `usage: hookline sources rejections <id>

The webhooks of a source that were refused lately, the newest first; with --json, their headers too.

  --limit N                    at most so many (default: 20)
${tenantHelp('sources')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, { ...tenantOption, limit: { type: 'string' } }, ['id']);
  const limit = readWholeNumber('limit', values.limit, { min: 1, max: 1_000, otherwise: 20 });
  const path = `${pathOf('sources', given.id)}/rejections`;
  const rejections = await connect(values.tenant).list<Record<string, unknown>>(path, limit);
  print(rejections, values.json, (shown) => table(shown, ['at', 'code', 'client_address', 'body_bytes']));
  return 0;
}
