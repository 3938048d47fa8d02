/** A jest reporter: adds to .hookline/test-times.json what each passed file took. `node test/lanes/record.ts` commits them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { Config, Reporter, Test, TestResult } from '@jest/reporters';
import { type FileTime, lastRunFile, readTimes } from './recorded-times.ts';

type Events = 'onTestResult' | 'onRunComplete';

export default class KeepTimes implements Pick<Reporter, Events> {
  readonly #times: Record<string, FileTime> = {};
  readonly #rootDir: string;
  readonly #areWhole: boolean;

  constructor({ rootDir, testNamePattern }: Config.GlobalConfig) {
    this.#rootDir = rootDir;
    this.#areWhole = !testNamePattern;
  }

  onTestResult({ path }: Test, result: TestResult): void {
    // By measured-file.ts.
    const { processorSeconds } = result as TestResult & { processorSeconds?: number };
    if (processorSeconds === undefined || result.skipped || result.numFailingTests > 0) return;
    this.#times[relative(this.#rootDir, path)] = {
      processorSeconds: rounded(processorSeconds),
      wallSeconds: rounded(result.perfStats.runtime / 1000),
    };
  }

  onRunComplete(): void {
    if (!this.#areWhole) return;
    mkdirSync(dirname(lastRunFile), { recursive: true });
    writeFileSync(lastRunFile, JSON.stringify({ ...readTimes(lastRunFile), ...this.#times }, undefined, 2));
  }
}

const rounded = (seconds: number): number => Number(seconds.toFixed(2));
