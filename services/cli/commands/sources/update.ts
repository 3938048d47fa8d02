import { usageFailure } from '../../command.ts';
import { connect, pathOf, tenantHelp, tenantOption } from '../../connect.ts';
import { omitAbsent, readOptions } from '../../options.ts';
import { describe, print } from '../../output.ts';
import { changeHelp, changeOptions, readResets, readSettings, settingsOptions } from '../../settings-options.ts';
import { settingsHelp, sourceSettings } from './settings.ts';

export const help = `usage: hookline sources update <id> [settings]

Changes what is given, leaves the rest. In force everywhere within 5 seconds.

  --name NAME
${changeHelp('source')}
${settingsHelp}
${tenantHelp('sources')}`;

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(
    args,
    { ...tenantOption, ...settingsOptions(sourceSettings), ...changeOptions, name: { type: 'string' } },
    ['id'],
  );
  const body = {
    ...readSettings(values, sourceSettings),
    ...readResets(values.reset, { thing: 'a source', settings: Object.keys(sourceSettings) }),
    ...omitAbsent({ name: values.name }),
  };
  if (Object.keys(body).length === 0) throw usageFailure('nothing to change is given');
  const source = await connect(values.tenant).ask<Record<string, unknown>>('PATCH', pathOf('sources', given.id), {
    body,
    ifMatch: values['if-match'],
  });
  print(source, values.json, describe);
  return 0;
}
