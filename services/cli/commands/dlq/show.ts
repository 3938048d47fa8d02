import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';

export const help = `usage: hookline dlq show <id>

A dead letter (dl_…) with the headers and the payload of what died, or a replay (rpl_…) and how far it has come.

${tenantHelp('dead letters')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  const path = pathOf(given.id.startsWith('rpl_') ? 'replays' : 'dead-letters', given.id);
  print(await connect(values.tenant).ask<Record<string, unknown>>('GET', path), values.json, describe);
  return 0;
}
