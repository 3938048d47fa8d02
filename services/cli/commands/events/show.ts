import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';

export const help = `usage: hookline events show <id>

An event, with its payload where that is JSON.

${tenantHelp('events')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  const path = pathOf('events', given.id);
  print(await connect(values.tenant).ask<Record<string, unknown>>('GET', path), values.json, describe);
  return 0;
}
