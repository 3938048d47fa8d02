import { usageFailure } from './command.ts';
import { readJson, readTextFile } from './read-text-file.ts';

/** How an option's text becomes a setting: `text` as it is, `list` as often as it is given, the others as JSON. */
export type SettingForm = 'text' | 'list' | 'json';
export type SettingForms = Readonly<Record<string, SettingForm>>;

type OptionValues = Readonly<Record<string, string | string[] | boolean | undefined>>;

const optionOf = (setting: string): string => setting.replaceAll('_', '-');

/** An option for each setting, `--dedup-id` for `dedup_id`; and `--from-file` for all of them. */
export const settingsOptions = (forms: SettingForms) =>
  ({
    ...(Object.fromEntries(
      Object.entries(forms).map(([setting, form]) => [
        optionOf(setting),
        { type: 'string', multiple: form === 'list' },
      ]),
    ) as Record<string, { type: 'string'; multiple: boolean }>),
    'from-file': { type: 'string' },
  }) as const;

/** Of a command that changes what there is. */
export const changeOptions = {
  reset: { type: 'string', multiple: true },
  'if-match': { type: 'string' },
} as const;

export const changeHelp = (thing: string): string => `\
  --reset SETTING              back to its default, such as --reset rate_limit; repeatable
  --if-match ETAG              only if the ${thing} still has this ETag`;

/** The settings that a call gives, the file's first. What they may be is for the API to say. */
export function readSettings(values: OptionValues, forms: SettingForms): Record<string, unknown> {
  const { 'from-file': file } = values;
  const settings: Record<string, unknown> = typeof file === 'string' ? readSettingsFile(file) : {};
  for (const [setting, form] of Object.entries(forms)) {
    const value = values[optionOf(setting)];
    if (value === undefined) continue;
    settings[setting] = form === 'json' && typeof value === 'string' ? readJson(optionOf(setting), value) : value;
  }
  return settings;
}

/**
 * What takes the named settings back to their defaults, in a merge patch.
 *
 * @param thing what has the settings, with its article
 */
export function readResets(
  names: readonly string[] = [],
  { thing, settings }: { thing: string; settings: readonly string[] },
): Record<string, null> {
  const reset = names.map((name) => name.replaceAll('-', '_'));
  const unknown = reset.find((name) => !settings.includes(name));
  if (unknown !== undefined) throw usageFailure(`--reset ${unknown}: ${thing} has ${settings.join(', ')}`);
  return Object.fromEntries(reset.map((name) => [name, null]));
}

function readSettingsFile(file: string): Record<string, unknown> {
  const settings = readJson('from-file', readTextFile('from-file', file));
  if (typeof settings === 'object' && settings !== null && !Array.isArray(settings))
    return settings as Record<string, unknown>;
  throw usageFailure('--from-file must hold a JSON object');
}
