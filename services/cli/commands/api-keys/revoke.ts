import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { print } from '../../output.ts';

export const help = `usage: hookline api-keys revoke <id>

For good, and in force within five seconds. By the key's id, not the key.

${tenantHelp('keys')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  await connect(values.tenant).ask('DELETE', pathOf('api-keys', given.id));
  print({ id: given.id, revoked: true }, values.json, ({ id }) => `${id} is revoked`);
  return 0;
}
