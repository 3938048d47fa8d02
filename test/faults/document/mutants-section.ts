import { markdownTable } from '../../support/markdown-table.ts';
import type { RecordedMutants } from '../mutants/results.ts';

/** In a line. */
export function mutantsKilled({ listed, untried, results }: RecordedMutants): string {
  const killed = results.filter(({ verdict }) => verdict === 'seen').length;
  const notTried = untried.length === 0 ? '' : ` (${untried.length} not tried)`;
  return `mutants killed ${killed} of ${listed} listed${notTried}`;
}

/** The tried mutants with the check that detected each, and the names of the untried ones. */
export function mutantsSection(recorded: RecordedMutants): string {
  const { untried, results } = recorded;
  const days = results.map(({ triedAt }) => triedAt.slice(0, 10)).sort();
  const on = [...new Set([days.at(0), days.at(-1)])].join(' to ');
  return [
    '## Mutants',
    `A check that can't fail proves nothing: [each mutant](../test/faults/mutants/README.md) is a small defect that is put into a copy of the code, and
must be seen by a run or a test within its budget. Tried on ${on}: ${mutantsKilled(recorded)}.`,
    markdownTable(
      ['mutant', 'tried with', 'seen as', 'seconds'],
      results.map(({ mutant, check, verdict, says, seconds }) => [
        mutant,
        `\`${check}\``,
        verdict === 'seen' ? says : `**not seen**: ${says}`,
        String(seconds),
      ]),
    ),
    ...(untried.length === 0 ? [] : ['Not tried yet:', untried.map((name) => `- ${name}`).join('\n')]),
    'Again: `make faults-mutants`, or one: `make faults-mutants ARGS=\'--only "NAME"\'`',
  ].join('\n\n');
}
