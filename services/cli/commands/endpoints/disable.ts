import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';

export const help = `usage: hookline endpoints disable <id>

What is on its way to it becomes dead letters, and so does what comes until it is enabled again.

${tenantHelp('endpoints')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  const path = `${pathOf('endpoints', given.id)}/disable`;
  print(await connect(values.tenant).ask<Record<string, unknown>>('POST', path), values.json, describe);
  return 0;
}
