import { connect, tenantHelp, tenantOption } from '../../connect.ts';
import { omitAbsent, readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';
import { endpointOptions, readEndpoint, settingsHelp } from './settings.ts';

export const help = `usage: hookline endpoints create --url URL [settings]

Prints the secret with which its deliveries are signed: this is the only time that it is shown. It gets the events
that are accepted five seconds or more from now.

  --url URL                    where deliveries are sent
  --secret TEXT                the receiver's, where it has one (default: a new one)
${settingsHelp}
${tenantHelp('endpoints')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, { ...tenantOption, ...endpointOptions, secret: { type: 'string' } });
  const body = { ...readEndpoint(values), ...omitAbsent({ secret: values.secret }) };
  const endpoint = await connect(values.tenant).ask<Record<string, unknown>>('POST', '/endpoints', { body });
  print(endpoint, values.json, describe);
  return 0;
}
