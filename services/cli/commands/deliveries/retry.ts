import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';

export const help = `usage: hookline deliveries retry <id>

One that waits for its next attempt is sent now; of one that is dead-lettered the dead letter is replayed, and the
replay shown (\`hookline dlq show rpl_…\` tells how far it has come).

${tenantHelp('deliveries')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  const path = `${pathOf('deliveries', given.id)}/retry`;
  print(await connect(values.tenant).ask<Record<string, unknown>>('POST', path), values.json, describe);
  return 0;
}
