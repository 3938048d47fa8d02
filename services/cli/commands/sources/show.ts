import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';

export const help = `usage: hookline sources show <id>

${tenantHelp('sources')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  print(
    await connect(values.tenant).ask<Record<string, unknown>>('GET', pathOf('sources', given.id)),
    values.json,
    describe,
  );
  return 0;
}
