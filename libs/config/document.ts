import type { Field, Fields } from './fields.ts';

const byVariable = (groups: readonly Fields[]): Field<unknown>[] => {
  const seen = new Map<string, Field<unknown>>();
  for (const field of groups.flatMap((group) => Object.values(group)))
    if (!seen.has(field.env)) seen.set(field.env, field);
  return [...seen.values()].sort((a, b) => a.env.localeCompare(b.env));
};

/** The text of `.env.example`: every variable once; required ones are left empty, defaults are commented out. */
export function envExample(groups: readonly Fields[]): string {
  return byVariable(groups)
    .map(
      (field) =>
        `# ${field.help}\n${field.defaultText === undefined ? `${field.env}=` : `# ${field.env}=${field.defaultText}`}\n`,
    )
    .join('\n');
}

/** The settings as a Markdown table, for a README. */
export function configTable(fields: Fields): string {
  const rows = byVariable([fields]).map(
    (field) =>
      `| \`${field.env}\` | ${field.defaultText === undefined ? 'required' : `\`${field.defaultText}\``} | ${field.help} |`,
  );
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}
