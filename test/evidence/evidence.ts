/**
 * The rows of docs/evidence.md, in their order: test/evidence/recorded.json. A run that keeps a record of its own (`from`) has its result there;
 * until it has recorded one, and for all other runs, the result stands in the row.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { testedCommit } from '../support/tested-commit.ts';

export interface Evidence extends Partial<Result> {
  name: string;
  /** Where its run keeps what it records under this name. */
  from?: 'faults' | 'mutants' | 'bench' | 'growth' | 'soak';
  /** The guarantee that the run checks. */
  holds: string;
  command: string;
}

export interface Result {
  /** In a sentence with the figures; a missed aim says so. */
  result: string;
  day: string;
  commit: string;
}

const file = join(root, 'test/evidence/recorded.json');

export const readEvidence = (): Evidence[] => JSON.parse(readFileSync(file, 'utf8')) as Evidence[];

/**
 * For runs without a record of their own. To be created when the run begins: day and commit are those of its begin.
 *
 * @returns prints the result, and puts it into the row if that is wanted
 */
export function createEvidenceRecorder(name: string, isWanted: boolean): (result: string) => void {
  const [day, commit] = [new Date().toISOString().slice(0, 10), testedCommit()];
  return (result) => {
    console.log(result);
    if (!isWanted) return;
    const rows = readEvidence();
    const index = rows.findIndex((row) => row.name === name);
    if (index < 0) throw new Error(`${file} has no row ${name}`);
    rows[index] = { ...(rows[index] as Evidence), result, day, commit };
    writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
    console.log(`recorded: ${file}\nnow: npm run docs:write`);
  };
}
