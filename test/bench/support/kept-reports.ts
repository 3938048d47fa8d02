/** What benches have found, as JSON: each run below .hookline/bench, so that a later one can be compared with it. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooklineDir } from '#deploy/local/paths.ts';
import type { BenchReport } from './bench.ts';

export interface KeptReport extends BenchReport {
  bench: string;
  startedAt: string;
  /** The line that repeats it. */
  again: string;
  machine: Machine;
}

export interface Machine {
  node: string;
  cpus: string;
  memoryGiB: number;
  /** Before anything was started: what else it had to do. */
  loadBefore: number;
}

const dir = join(hooklineDir, 'bench');

/** @returns its file */
export function keepReport(report: KeptReport): string {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, `${report.bench}-${report.startedAt.replace(/[:.]/g, '-')}.json`);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  return file;
}

export const readReport = (file: string): KeptReport => JSON.parse(readFileSync(file, 'utf8')) as KeptReport;

/** The last one of the bench; undefined where there is none. */
export function lastReportOf(bench: string): KeptReport | undefined {
  const file = globSync(`${bench}-[0-9]*.json`, { cwd: dir }).toSorted().at(-1);
  return file === undefined ? undefined : readReport(join(dir, file));
}
