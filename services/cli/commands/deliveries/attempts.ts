import { type Attempt, attemptColumns, attemptRow } from '../../attempt-view.ts';
import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { print, table } from '../../output.ts';

export const help = `usage: hookline deliveries attempts <id>

What came of each send, the first one first; with --json, what was sent and answered too, and how long each phase
took.

${tenantHelp('deliveries')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  const path = `${pathOf('deliveries', given.id)}/attempts`;
  const attempts = await connect(values.tenant).list<Attempt>(path, Infinity);
  print(attempts, values.json, (shown) => table(shown.map(attemptRow), attemptColumns));
  return 0;
}
