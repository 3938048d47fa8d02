import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';
import { tenantOption } from '../sources/connect.ts';
import { connect, tenantHelp } from './filter-options.ts';

export const help = `usage: hookline dlq show <id>

A dead letter (dl_…) with the headers and the payload of what died, or a replay (rpl_…) and how far it has come.

${tenantHelp}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  const collection = given.id.startsWith('rpl_') ? 'replays' : 'dead-letters';
  const path = `/${collection}/${encodeURIComponent(given.id)}`;
  print(await connect(values.tenant).ask<Record<string, unknown>>('GET', path), values.json, describe);
  return 0;
}
