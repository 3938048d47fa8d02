/** Puts a mutant into a copy of the tree, and has its check look at that. */
import { join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';
import { type CopiedTree, copyTree } from './copied-tree.ts';
import type { Edit } from './edits/index.ts';
import type { Check, RunCheck, TestCheck } from './mutant.ts';
import { type Ended, runWithin } from './run-within.ts';

export interface Trial {
  /** seen: detected as the mutant requires. clean: the check completed and found nothing. unclear: anything else. */
  verdict: 'seen' | 'clean' | 'unclear';
  /** The evidence, or why it is unclear. */
  says: string;
  seconds: number;
  output: string;
}

/** A wait that is in vain with the mutant, in addition to its budget. */
const patienceSeconds = 60;

type Judged = Pick<Trial, 'verdict' | 'says'>;

/** Any would do; always the same, so that a mutant that was seen is seen again. */
const seed = 11;
const reportFile = 'mutant-report.json';

export async function tryEdits(edits: readonly Edit[], check: Check, budgetSeconds: number): Promise<Trial> {
  let tree: CopiedTree;
  try {
    tree = copyTree(edits);
  } catch (error) {
    return { ...unclear(`can’t be made: ${(error as Error).message}`), seconds: 0, output: '' };
  }
  const startMs = performance.now();
  try {
    const args = argumentsOf(check, budgetSeconds);
    const ended = await runWithin((budgetSeconds + patienceSeconds) * 1_000, args, tree.dir, {
      HOOKLINE_TEST_PATIENCE_SECONDS: String(patienceSeconds),
    });
    const judged = 'run' in check ? judgeRun(check, ended) : judgeTest(check, ended, tree.dir);
    return { ...judged, seconds: Math.round((performance.now() - startMs) / 1_000), output: ended.output };
  } finally {
    tree.remove();
  }
}

/** Node's arguments. A test that hangs with its mutant fails within the budget. */
function argumentsOf(check: Check, budgetSeconds: number): string[] {
  if ('run' in check) {
    const numbers = Object.entries({ ...check.numbers, seed }).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const scenario = check.scenario === undefined ? [] : ['--scenario', check.scenario];
    return ['test/faults/main.ts', '--run', check.run, ...scenario, ...numbers];
  }
  const [, folder = ''] = check.test.split('/');
  const project = check.test.endsWith('.night.test.ts') ? 'night' : folder;
  return [
    'node_modules/jest/bin/jest.js',
    ...['--selectProjects', project, '--runTestsByPath', check.test],
    ...['--testNamePattern', check.title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')],
    ...['--testTimeout', String(1_000 * budgetSeconds)],
    ...['--json', '--outputFile', reportFile, '--forceExit'],
  ];
}

function judgeRun({ seenAs }: RunCheck, { code, isOverdue, output }: Ended): Judged {
  const found = seenAs.filter((name) => new RegExp(`^ *${name} \\d+:`, 'm').test(output));
  if (isOverdue) return unclear('not within its budget');
  if (code === 1 && found.length > 0) return { verdict: 'seen', says: found.join(', ') };
  return code === 0 ? { verdict: 'clean', says: 'no violation' } : unclear(`ended with ${code}`);
}

/** A file that can't be run at all has no tests in it. */
function judgeTest({ title }: TestCheck, { code, isOverdue }: Ended, dir: string): Judged {
  if (isOverdue) return unclear('not within its budget');
  const path = join(dir, reportFile);
  if (!existsSync(path)) return unclear(`its test could not start: ended with ${code}`);
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as {
    testResults: { assertionResults: { fullName: string; status: string }[] }[];
  };
  const tests = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ fullName }) => fullName.includes(title));
  const failed = tests.filter(({ status }) => status === 'failed').length;
  const passed = tests.filter(({ status }) => status === 'passed').length;
  if (code === 1 && failed > 0) return { verdict: 'seen', says: `…${title}…: ${failed} of ${failed + passed} failed` };
  if (code === 0 && passed > 0) return { verdict: 'clean', says: `${passed} passed` };
  return unclear(`${passed + failed === 0 ? 'no test ran: ' : ''}ended with ${code}`);
}

const unclear = (says: string): Judged => ({ verdict: 'unclear', says });
