import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { print } from '../../output.ts';

export const help = `usage: hookline sources delete <id>

For good: its senders are answered 410 within 5 seconds, and its id is never used again.

${tenantHelp('sources')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  await connect(values.tenant).ask('DELETE', pathOf('sources', given.id));
  print({ id: given.id, deleted: true }, values.json, ({ id }) => `${id} is deleted`);
  return 0;
}
