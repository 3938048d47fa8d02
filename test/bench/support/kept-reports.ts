/**
 * The reports of benches as JSON: each run below .hookline/bench, for comparison; those shown in docs/speed.md, in git.
 */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooklineDir, root } from '#deploy/local/paths.ts';
import type { BenchReport } from './bench.ts';

export interface KeptReport extends BenchReport {
  bench: string;
  startedAt: string;
  /** The one that it measured. */
  commit: string;
  /** The line that repeats it. */
  again: string;
  machine: Machine;
}

export interface Machine {
  node: string;
  cpus: string;
  memoryGiB: number;
  /** The load average before anything was started. */
  loadBefore: number;
}

const dir = join(hooklineDir, 'bench');
const recordedDir = join(root, 'test/bench/recorded');

/** @returns its file */
export const keepReport = (report: KeptReport): string =>
  write(dir, `${report.bench}-${report.startedAt.replace(/[:.]/g, '-')}`, report);

/** In place of the last that was recorded of its bench. @returns its file */
export const recordReport = (report: KeptReport): string => write(recordedDir, report.bench, report);

/** The recorded reports of these benches, in their order. */
export const recordedReports = (benches: readonly string[]): KeptReport[] =>
  benches
    .map((bench) => join(recordedDir, `${bench}.json`))
    .filter((file) => existsSync(file))
    .map(readReport);

function write(folder: string, name: string, report: KeptReport): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  return file;
}

export const readReport = (file: string): KeptReport => JSON.parse(readFileSync(file, 'utf8')) as KeptReport;

/** The last report of the bench; undefined if there is none. */
export function lastReportOf(bench: string): KeptReport | undefined {
  const file = globSync(`${bench}-[0-9]*.json`, { cwd: dir }).toSorted().at(-1);
  return file === undefined ? undefined : readReport(join(dir, file));
}
