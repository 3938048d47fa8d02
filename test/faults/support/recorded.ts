/**
 * The source of docs/faults.md: a file in test/faults/recorded for each recorded run (`--record NAME`), and one for the mutants. They are
 * in git, so a list of numbers is one line, and the list of single faults is left out. A time that never ended is "never", since JSON has
 * no Infinity.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import type { FaultReport } from './fault-run.ts';

/** A run as it was kept. */
export interface RecordedRun extends Pick<FaultReport, 'tables' | 'results'> {
  /** The name of the run in `--run`. */
  run: string;
  startedAt: string;
  /** The one that it tested. */
  commit: string;
  /** The line that repeats it. */
  replay: string;
  numbers: Readonly<Record<string, number>>;
  seed: number;
  setUp: SetUp;
  /** That it took. */
  minutes: number;
  /** The number of faults given to the checker; 0 if the run makes none. */
  faults: number;
}

export interface SetUp {
  node: string;
  cpus: string;
  memoryGiB: number;
  processes: string;
}

const dir = join(root, 'test/faults/recorded');
const fileOf = (name: string): string => join(dir, `${name}.json`);
/** Not a run's. */
export const mutantsName = 'mutants';

/** Problems with a name for a run, in words. */
export function problemsOfName(name: string): string[] {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return [`--record ${name}: a name is in kebab-case`];
  return name === mutantsName ? [`--record ${name}: the mutants have this name`] : [];
}

/** @returns its file */
export function record(name: string, content: unknown): string {
  mkdirSync(dir, { recursive: true });
  writeFileSync(fileOf(name), recordedText(content));
  return fileOf(name);
}

/** @returns undefined where nothing was recorded under the name */
export const readRecorded = (name: string): unknown =>
  recordedNames().includes(name) ? contentOf(readFileSync(fileOf(name), 'utf8')) : undefined;

export const recordedRuns = (): { name: string; run: RecordedRun }[] =>
  recordedNames()
    .filter((name) => name !== mutantsName)
    .map((name) => ({ name, run: readRecorded(name) as RecordedRun }));

const recordedNames = (): string[] =>
  globSync('*.json', { cwd: dir })
    .map((file) => basename(file, '.json'))
    .sort();

const never = 'never';
/** As they stand in indented JSON: no text in it has a line's end. */
const listsOfNumbers = /\[(?:\n\s+(?:-?\d[\d.e+-]*|null|"never"),?)+\n\s+\]/g;

export const recordedText = (content: unknown): string =>
  `${JSON.stringify(content, (_, value: unknown) => (value === Number.POSITIVE_INFINITY ? never : value), 2).replace(
    listsOfNumbers,
    (list) => list.replace(/\s+/g, ' '),
  )}\n`;

export const contentOf = (text: string): unknown =>
  JSON.parse(text, (_, value: unknown) => (value === never ? Number.POSITIVE_INFINITY : value));
