import { usageFailure } from '../../command.ts';
import { readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';
import { connect, pathOf, tenantHelp, tenantOption } from './connect.ts';
import { readSettings, settingNames, settingsHelp, settingsOptions } from './settings-options.ts';

export const help = `usage: hookline sources update <id> [settings]

Changes what is given, leaves the rest. In force everywhere within 5 seconds.

  --name NAME
  --reset SETTING              back to its default, such as --reset rate_limit; repeatable
  --if-match ETAG              only if the source still has this ETag
${settingsHelp}
${tenantHelp}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(
    args,
    {
      ...tenantOption,
      ...settingsOptions,
      name: { type: 'string' },
      reset: { type: 'string', multiple: true },
      'if-match': { type: 'string' },
    },
    ['id'],
  );
  const reset = (values.reset ?? []).map((name) => name.replaceAll('-', '_'));
  const unknown = reset.find((name) => !settingNames.includes(name));
  if (unknown !== undefined) throw usageFailure(`--reset ${unknown}: a source has ${settingNames.join(', ')}`);
  const body = {
    ...readSettings(values),
    ...Object.fromEntries(reset.map((name) => [name, null])),
    ...(values.name !== undefined && { name: values.name }),
  };
  if (Object.keys(body).length === 0) throw usageFailure('nothing to change is given');
  const source = await connect(values.tenant).ask<Record<string, unknown>>('PATCH', pathOf(given.id), {
    body,
    ifMatch: values['if-match'],
  });
  print(source, values.json, describe);
  return 0;
}
