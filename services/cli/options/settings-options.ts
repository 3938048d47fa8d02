/** The settings of a source or an endpoint as options: one per setting, `--from-file` for all of them, `--reset` for their defaults. */
import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { list, type OptionSpec, type OptionSpecs, text } from '../verb.ts';
import { readJson, readJsonFile } from './values.ts';

/** How an option's text becomes a setting: `text` unchanged, `list` repeatable, `json` parsed, `listOrJson` a list in which a JSON list is one entry. */
export interface SettingSpec {
  form: 'text' | 'list' | 'json' | 'listOrJson';
  option: OptionSpec;
}

export type SettingSpecs = Readonly<Record<string, SettingSpec>>;

const settingAs =
  (form: SettingSpec['form'], optionAs: typeof text | typeof list) =>
  (placeholder: string, help: string): SettingSpec => ({ form, option: optionAs(placeholder, help) });

export const textSetting = settingAs('text', text);
export const listSetting = settingAs('list', list);
export const listOrJsonSetting = settingAs('listOrJson', list);
export const jsonSetting = settingAs('json', text);

type OptionValues = Readonly<Record<string, string | string[] | boolean | undefined>>;

const optionOf = (setting: string): string => setting.replaceAll('_', '-');

/** `--dedup-id` for the setting `dedup_id`, and so on. */
export const settingsOptions = (specs: SettingSpecs): OptionSpecs => ({
  ...Object.fromEntries(Object.entries(specs).map(([setting, { option }]) => [optionOf(setting), option])),
  'from-file': text('FILE', 'read settings from a JSON object; options override it'),
});

/** @param thing the resource that the verb changes */
export const changeOptions = (thing: string) => ({
  reset: list('SETTING', 'set back to the default, such as --reset rate_limit'),
  'if-match': text('ETAG', `change it only while the ${thing} has this ETag`),
});

/** The settings of the call, which override those of the file. The API validates them. */
export async function readSettings(
  context: Context,
  values: OptionValues,
  specs: SettingSpecs,
): Promise<Record<string, unknown>> {
  const { 'from-file': file } = values;
  const settings: Record<string, unknown> = typeof file === 'string' ? await readSettingsFile(context, file) : {};
  for (const [setting, { form }] of Object.entries(specs)) {
    const value = values[optionOf(setting)];
    if (value === undefined) continue;
    if (form === 'json' && typeof value === 'string') settings[setting] = readJson(optionOf(setting), value);
    else if (form === 'listOrJson' && Array.isArray(value))
      settings[setting] = value.map((entry) => (entry.startsWith('[') ? readJson(optionOf(setting), entry) : entry));
    else settings[setting] = value;
  }
  return settings;
}

/**
 * The merge patch that sets what is given, and the named settings back to their defaults.
 *
 * @param thing what has the settings, with its article
 * @throws CommandFailure if the call would change nothing
 */
export function bodyOfChange(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[] = [],
  { thing, settings }: { thing: string; settings: readonly string[] },
): string {
  const reset = names.map((name) => name.replaceAll('-', '_'));
  const unknown = reset.find((name) => !settings.includes(name));
  if (unknown !== undefined) throw usageFailure(`--reset ${unknown}: ${thing} has ${settings.join(', ')}`);
  const change = { ...given, ...Object.fromEntries(reset.map((name) => [name, null])) };
  if (Object.keys(change).length === 0) throw usageFailure('nothing to change: give at least one setting');
  return JSON.stringify(change);
}

async function readSettingsFile(context: Context, file: string): Promise<Record<string, unknown>> {
  const settings = await readJsonFile(context, 'from-file', file);
  if (typeof settings === 'object' && settings !== null && !Array.isArray(settings))
    return settings as Record<string, unknown>;
  throw usageFailure('--from-file must hold a JSON object');
}
