import { usageFailure } from '../../command.ts';
import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';
import { changeHelp, changeOptions, readResets } from '../../settings-options.ts';
import { endpointOptions, readEndpoint, resettableSettings, settingsHelp } from './settings.ts';

export const help = `usage: hookline endpoints update <id> [settings]

Changes what is given, leaves the rest. In force everywhere within 5 seconds.

  --url URL                    where deliveries are sent
${changeHelp('endpoint')}
${settingsHelp}
${tenantHelp('endpoints')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, { ...tenantOption, ...endpointOptions, ...changeOptions }, ['id']);
  const body = {
    ...readEndpoint(values),
    ...readResets(values.reset, { thing: 'an endpoint', settings: resettableSettings }),
  };
  if (Object.keys(body).length === 0) throw usageFailure('nothing to change is given');
  const endpoint = await connect(values.tenant).ask<Record<string, unknown>>('PATCH', pathOf('endpoints', given.id), {
    body,
    ifMatch: values['if-match'],
  });
  print(endpoint, values.json, describe);
  return 0;
}
