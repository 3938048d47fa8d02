import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';
import { connect, pathOf, tenantHelp, tenantOption } from './connect.ts';

export const help = `usage: hookline sources show <id>

${tenantHelp}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  print(await connect(values.tenant).ask<Record<string, unknown>>('GET', pathOf(given.id)), values.json, describe);
  return 0;
}
