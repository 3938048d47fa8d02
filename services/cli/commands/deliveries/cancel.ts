import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';

export const help = `usage: hookline deliveries cancel <id>

Ends a delivery that waits, within seconds. One that is being sent at that moment may still be delivered.

${tenantHelp('deliveries')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  const path = `${pathOf('deliveries', given.id)}/cancel`;
  print(await connect(values.tenant).ask<Record<string, unknown>>('POST', path), values.json, describe);
  return 0;
}
