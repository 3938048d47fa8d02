/** The results of a night: kept while it runs, recorded for docs/nightly.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { guarantees } from './guarantees.ts';
import { nightParts } from './night-parts.ts';

export interface RanPart {
  /** Eight digits; `… with changes` where the tree was not that commit's. */
  commit: string;
  /** Tests, violations or mutants; 0: green. */
  failed: number;
  minutes: number;
  /** The first failures, else empty. */
  says: string;
}

export interface Night {
  /** That of the last part that was run; in others nothing that they run was different. */
  commit: string;
  day: string;
  parts: Readonly<Record<string, RanPart>>;
}

export const recordedNightFile = join(import.meta.dirname, 'nightly.json');

export const keptNights = (file: string): Night | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Night) : undefined;

/** Parts that the night did not run keep their last record. @returns the file */
export function recordNight(night: Night, file = recordedNightFile): string {
  const parts = { ...keptNights(file)?.parts, ...night.parts };
  writeFileSync(file, `${JSON.stringify({ ...night, parts }, null, 2)}\n`);
  return file;
}

export const isGreen = ({ parts }: Night): boolean => nightParts.every(({ name }) => parts[name]?.failed === 0);

/** A row for each part, also for those that have not run. */
export function reportOf(night: Night): string {
  const rows = nightParts.map(({ name, holds }) => {
    const ran = night.parts[name];
    const result = ran === undefined ? 'not run' : ran.failed === 0 ? 'green' : `**red**: ${ran.says}`;
    return `| ${name} | ${holds} | ${result} | ${ran?.minutes ?? ''} | ${ran?.commit ?? ''} |`;
  });
  return ['| part | holds | result | minutes | commit |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** The text of docs/nightly.md. */
export function nightlyDocument(night: Night | undefined): string {
  const parts = nightParts
    .filter(({ folders }) => folders.length > 0)
    .map(({ name, folders }) => `| ${folders.map((folder) => `\`${folder}\``).join(', ')} | ${name} |`);
  const witnesses = guarantees.map(
    ({ holds, byDay, byNight }) =>
      `| ${holds} | ${byDay.map((file) => `[${nameOf(file)}](../${file})`).join(', ')} | ${byNight.join(', ') || 'the same'} |`,
  );
  return `# The night's suite

For developers who change what the day's tests show only in small. \`make test-nightly\` runs all parts, \`ARGS='--only kafka'\` one of them, \`ARGS='--for libs/kafka'\`
those of a folder; \`npm run docs:write\` writes this page.

## The last recorded night

${night === undefined ? 'None is recorded.' : `On ${night.day}: ${isGreen(night) ? 'green' : 'not green'}. A part that was green is not run again before something changes that it runs.\n\n${reportOf(night)}`}

## Guarantees

| guarantee | witness by day | proof by night |
|---|---|---|
${witnesses.join('\n')}

## Which part to run for a change

| folder | part |
|---|---|
${parts.join('\n')}
`;
}

const nameOf = (file: string): string => file.replace(/^.*\//, '').replace('.test.ts', '');
