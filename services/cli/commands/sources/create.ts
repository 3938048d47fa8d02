import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';
import { connect, tenantHelp, tenantOption } from './connect.ts';
import { readSettings, settingsHelp, settingsOptions } from './settings-options.ts';

export const help = `usage: hookline sources create --name NAME --scheme SCHEME [settings]

Prints the URL to give to the provider, and the secret: this is the only time that it is shown.

  --name NAME
  --scheme SCHEME              hookline, stripe, github, …
  --secret TEXT                the provider's, where it has made one (default: a new one)
${settingsHelp}
${tenantHelp}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, {
    ...tenantOption,
    ...settingsOptions,
    name: { type: 'string' },
    scheme: { type: 'string' },
    secret: { type: 'string' },
  });
  const { name, scheme, secret } = values;
  const body = { ...readSettings(values), ...given({ name, scheme, secret }) };
  print(await connect(values.tenant).ask<Record<string, unknown>>('POST', '/sources', { body }), values.json, describe);
  return 0;
}

const given = (fields: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
