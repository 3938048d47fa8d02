import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';

export const help = `usage: hookline deliveries show <id>

Where a delivery stands, and when it is tried again.

${tenantHelp('deliveries')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  const path = pathOf('deliveries', given.id);
  print(await connect(values.tenant).ask<Record<string, unknown>>('GET', path), values.json, describe);
  return 0;
}
