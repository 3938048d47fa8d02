import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Report {
  testResults: {
    name: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

const root = join(import.meta.dirname, '../../..');
const fixture = (name: string): string => join(import.meta.dirname, `fixtures/${name}.ts`);

/** Runs jest as its configuration has it, one file after the other in one worker, with files that aren't tests of ours. */
function run(
  files: readonly string[],
  ...args: readonly string[]
): { code: number | null; report: Report; stderr: string } {
  const file = join(mkdtempSync(join(tmpdir(), 'hookline-jest-')), 'report.json');
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/jest/bin/jest.js'),
      ...['--config', join(import.meta.dirname, 'fixtures/jest.config.js')],
      ...['--json', '--outputFile', file, ...args, '--runTestsByPath', ...files.map(fixture)],
    ],
    { cwd: root, encoding: 'utf8' },
  );
  return { code: status, report: JSON.parse(readFileSync(file, 'utf8')) as Report, stderr };
}

const outcomes = ({ testResults }: Report, file: string): Record<string, string> =>
  Object.fromEntries(
    testResults
      .filter(({ name }) => name === fixture(file))
      .flatMap(({ assertionResults }) => assertionResults.map(({ fullName, status }) => [fullName, status])),
  );

it('reports every kind of failure, and what a file changes in its process ends with it', () => {
  const { code, report, stderr } = run(['first', 'second']);
  expect(code).toBe(1);
  expect(outcomes(report, 'first')).toEqual({
    passes: 'passed',
    'is skipped': 'pending',
    'has the case 1': 'passed',
    'has the case 2': 'passed',
    'fails with its position': 'failed',
    'takes too long': 'failed',
    'has longer': 'passed',
    'leaves a rejection': 'failed',
    'leaves an exception': 'failed',
    'a block whose beforeAll fails does not pass': 'failed',
    'a block whose afterAll is called passes too': 'passed',
  });
  expect(report.testResults.map(({ message }) => message).join('\n')).toContain('fixtures/first.ts:13:');
  expect(outcomes(report, 'second')).toEqual({
    'has the modules of the file before': 'passed',
    'has none of its environment, spies and time-outs': 'passed',
    'shares realm and loader with Node': 'passed',
    'fails too': 'failed',
  });
  expect(stderr).toContain('again: npx jest --selectProjects unit --runTestsByPath test/unit/jest/fixtures/first.ts\n');
  // The listeners of the first file don't hear of the second.
  expect(stderr.match(/FAIL at once: fails too/g)).toHaveLength(1);
});

it('runs the named tests alone', () => {
  const { code, report } = run(['first'], '-t', 'has the case 2');
  expect(code).toBe(0);
  expect(Object.entries(outcomes(report, 'first')).filter(([, status]) => status === 'passed')).toEqual([
    ['has the case 2', 'passed'],
  ]);
});

it('fails when a worker dies', () => {
  const { code, report } = run(['dies']);
  expect(code).toBe(1);
  expect(report.testResults[0]?.message).toContain('signal=SIGKILL');
});
