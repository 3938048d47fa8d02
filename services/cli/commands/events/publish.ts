import { connect, tenantHelp, tenantOption } from '../../connect.ts';
import { usageFailure } from '../../command.ts';
import { omitAbsent, readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';
import { readJson, readTextFile } from '../../read-text-file.ts';

export const help = `usage: hookline events publish --type NAME [--payload JSON | --payload-file FILE] [options]

Publishes an event of your own: it goes the way of what sources send, to the endpoints that ask for such events. What
is delivered is the payload as it is written here.

  --type NAME                  the event's type, such as order.paid
  --payload JSON               its payload, or
  --payload-file FILE          the file that has it; - is the standard input (default: {})
  --event-id ID                your own identifier: published again within 72 hours, it is the same event
  --ordering-key TEXT          events of one key keep their order
${tenantHelp('event')}`;

const options = {
  ...tenantOption,
  type: { type: 'string' },
  payload: { type: 'string' },
  'payload-file': { type: 'string' },
  'event-id': { type: 'string' },
  'ordering-key': { type: 'string' },
} as const;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, options);
  const { type, payload, 'payload-file': file } = values;
  if (type === undefined) throw usageFailure('--type is missing');
  if (payload !== undefined && file !== undefined)
    throw usageFailure('--payload and --payload-file exclude each other');
  const [option, text] =
    file === undefined ? ['payload', payload ?? '{}'] : ['payload-file', readTextFile('payload-file', file)];
  readJson(option, text);

  const facts = omitAbsent({ type, event_id: values['event-id'], ordering_key: values['ordering-key'] });
  // Read and written again, large numbers would be others.
  const body = `${JSON.stringify(facts).slice(0, -1)},"payload":${text}}`;
  const event = await connect(values.tenant).ask<{ id: string }>('POST', '/events', { body });
  print(event, values.json, describe);
  return 0;
}
