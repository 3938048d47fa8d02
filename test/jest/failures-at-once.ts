/**
 * A jest reporter that prints a failed test when it fails, with its reason next to its name, not only after its file; and all of them once
 * more as the last lines of the run, where a log of which only the end is kept still has them, with the command that repeats each file.
 */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { AggregatedResult, Reporter, Test, TestCaseResult, TestContext } from '@jest/reporters';

type Events = 'onTestCaseResult' | 'onRunComplete';

const linesOfAReason = 12;
const widthOfALine = 400;

export default class FailuresAtOnce implements Pick<Reporter, Events> {
  onTestCaseResult({ path }: Test, { status, fullName, failureMessages, duration }: TestCaseResult): void {
    if (status !== 'failed') return;
    const reason = stripVTControlCharacters(failureMessages.join('\n'));
    process.stderr.write(`FAIL at once: ${fullName} (${duration ?? '?'} ms)\n${reason}\n${path}\n`);
  }

  onRunComplete(_contexts: Set<TestContext>, { testResults }: AggregatedResult): void {
    for (const { testFilePath, testResults: cases, failureMessage, displayName } of testResults) {
      const failed = cases.filter(({ status }) => status === 'failed');
      for (const { fullName, failureMessages } of failed)
        process.stderr.write(`FAILED ${testFilePath}: ${fullName}\n${beginningOf(failureMessages.join('\n'))}\n`);
      // A file that could not be run has no cases.
      if (failed.length === 0 && failureMessage)
        process.stderr.write(`FAILED ${testFilePath}\n${beginningOf(failureMessage)}\n`);
      if (failed.length > 0 || failureMessage)
        process.stderr.write(`again: ${repeats(displayName?.name, relative(process.cwd(), testFilePath))}\n`);
    }
  }
}

const repeats = (project: string | undefined, file: string): string =>
  `npx jest ${project === undefined ? '' : `--selectProjects ${project} `}--runTestsByPath ${file}`;

function beginningOf(message: string): string {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines
    .slice(0, linesOfAReason)
    .map((line) => `  ${line.slice(0, widthOfALine)}`)
    .join('\n');
}
