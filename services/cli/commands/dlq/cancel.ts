import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';

export const help = `usage: hookline dlq cancel <replay>

Ends a replay that is running. What it has not sent yet is dead again, and can be replayed by another.

${tenantHelp('dead letters')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['replay']);
  const api = connect(values.tenant);
  const path = pathOf('replays', given.replay);
  await api.ask('DELETE', path);
  print(await api.ask<Record<string, unknown>>('GET', path), values.json, describe);
  return 0;
}
