import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { print } from '../../output.ts';

export const help = `usage: hookline endpoints delete <id>

For good: what is on its way to it is cancelled, and its id is never used again.

${tenantHelp('endpoints')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  await connect(values.tenant).ask('DELETE', pathOf('endpoints', given.id));
  print({ id: given.id, deleted: true }, values.json, ({ id }) => `${id} is deleted`);
  return 0;
}
