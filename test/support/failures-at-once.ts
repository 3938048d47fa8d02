/** A jest reporter that prints a failed test when it fails, with its reason next to its name, not only after its file. */
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, Test, TestCaseResult } from '@jest/reporters';

export default class FailuresAtOnce implements Pick<Reporter, 'onTestCaseResult'> {
  onTestCaseResult({ path }: Test, { status, fullName, failureMessages, duration }: TestCaseResult): void {
    if (status !== 'failed') return;
    const reason = stripVTControlCharacters(failureMessages.join('\n'));
    process.stderr.write(`FAIL at once: ${fullName} (${duration ?? '?'} ms)\n${reason}\n${path}\n`);
  }
}
