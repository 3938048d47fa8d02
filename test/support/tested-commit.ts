import { execFileSync } from 'node:child_process';
import { root } from '#deploy/local/paths.ts';

/** A run that is recorded changes these, and so would mark the next one as changed. */
const written = [':!docs', ':!test/bench/recorded', ':!test/faults/recorded', ':!test/evidence'];

/** The commit whose code a run tests; its results name it. To be asked when the run begins, as others may commit meanwhile. */
export function testedCommit(): string {
  try {
    const commit = git('rev-parse', '--short=8', 'HEAD');
    return git('status', '--porcelain', '--', '.', ...written) === '' ? commit : `${commit}, changed`;
  } catch {
    return 'unknown: no git';
  }
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
