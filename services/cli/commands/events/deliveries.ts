import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { print, table } from '../../output.ts';

export const help = `usage: hookline events deliveries <id>

Where an event went, and how far it has come: a line for each endpoint, and for each replay.

${tenantHelp('events')}`;

const shownFields = ['id', 'endpoint_id', 'generation', 'status', 'attempts', 'next_attempt_at', 'detail'];

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, tenantOption, ['id']);
  const path = `${pathOf('events', given.id)}/deliveries`;
  const deliveries = await connect(values.tenant).list<Record<string, unknown>>(path, Infinity);
  print(deliveries, values.json, (shown) => table(shown, shownFields));
  return 0;
}
