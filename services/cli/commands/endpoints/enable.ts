import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';

export const help = `usage: hookline endpoints enable <id>

Whatever had disabled it. What has died meanwhile comes again by \`hookline endpoints recover\`.

${tenantHelp('endpoints')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  const path = `${pathOf('endpoints', given.id)}/enable`;
  print(await connect(values.tenant).ask<Record<string, unknown>>('POST', path), values.json, describe);
  return 0;
}
