import { connect, tenantHelp, tenantOption } from '../../connect.ts';
import { omitAbsent, readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';
import { readSettings, settingsOptions } from '../../settings-options.ts';
import { settingsHelp, sourceSettings } from './settings.ts';

export const help = `usage: hookline sources create --name NAME --scheme SCHEME [settings]

Prints the URL to give to the provider, and the secret: this is the only time that it is shown.

  --name NAME
  --scheme SCHEME              hookline, stripe, github, …
  --secret TEXT                the provider's, where it has made one (default: a new one)
${settingsHelp}
${tenantHelp('sources')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, {
    ...tenantOption,
    ...settingsOptions(sourceSettings),
    name: { type: 'string' },
    scheme: { type: 'string' },
    secret: { type: 'string' },
  });
  const { name, scheme, secret } = values;
  const body = { ...readSettings(values, sourceSettings), ...omitAbsent({ name, scheme, secret }) };
  print(await connect(values.tenant).ask<Record<string, unknown>>('POST', '/sources', { body }), values.json, describe);
  return 0;
}
