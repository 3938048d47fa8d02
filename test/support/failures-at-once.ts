/** A jest reporter: a test that fails is told when it fails, with nothing between its name and its reason, and not only after its file. */
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, Test, TestCaseResult } from '@jest/reporters';

export default class FailuresAtOnce implements Pick<Reporter, 'onTestCaseResult'> {
  onTestCaseResult({ path }: Test, { status, fullName, failureMessages, duration }: TestCaseResult): void {
    if (status !== 'failed') return;
    const reason = stripVTControlCharacters(failureMessages.join('\n'));
    process.stderr.write(`FAIL at once: ${fullName} (${duration ?? '?'} ms)\n${reason}\n${path}\n`);
  }
}
