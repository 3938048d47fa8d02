/** The settings of a source or an endpoint as options: one per setting, `--from-file` for all of them, `--reset` for their defaults. */
import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { list, type OptionSpec, type OptionSpecs, text } from '../verb.ts';
import { readJson, readTextFile } from './values.ts';

/** How an option's text becomes a setting: `text` unchanged, `list` repeatable, `json` parsed, `listOrJson` a list in which a JSON list is one entry. */
export interface SettingSpec {
  form: 'text' | 'list' | 'json' | 'listOrJson';
  option: OptionSpec;
}

export type SettingSpecs = Readonly<Record<string, SettingSpec>>;

export const textSetting = (placeholder: string, help: string): SettingSpec => ({
  form: 'text',
  option: text(placeholder, help),
});
export const listSetting = (placeholder: string, help: string): SettingSpec => ({
  form: 'list',
  option: list(placeholder, help),
});
export const listOrJsonSetting = (placeholder: string, help: string): SettingSpec => ({
  form: 'listOrJson',
  option: list(placeholder, help),
});
export const jsonSetting = (placeholder: string, help: string): SettingSpec => ({
  form: 'json',
  option: text(placeholder, help),
});

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
 * The part of a merge patch that sets the named settings back to their defaults.
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

/** @throws CommandFailure if the call would change nothing */
export function refuseEmptyChange(change: Readonly<Record<string, unknown>>): void {
  if (Object.keys(change).length === 0) throw usageFailure('nothing to change: give at least one setting');
}

async function readSettingsFile(context: Context, file: string): Promise<Record<string, unknown>> {
  const settings = readJson('from-file', await readTextFile(context, 'from-file', file));
  if (typeof settings === 'object' && settings !== null && !Array.isArray(settings))
    return settings as Record<string, unknown>;
  throw usageFailure('--from-file must hold a JSON object');
}
