import { markdownTable } from '../../support/markdown-table.ts';
import { dayOfTrials, type RecordedMutants, type Result } from '../mutants/results.ts';

/** In a line. */
export function mutantsKilled({ listed, untried, results }: RecordedMutants): string {
  const killed = results.filter(wasSeen).length;
  const notTried = untried.length === 0 ? '' : `, ${untried.length} not tried`;
  return `${killed} of ${listed} defects seen${notTried}`;
}

const wasSeen = ({ verdict }: Result): boolean => verdict === 'seen';

/** How many mutants each kind of check has seen, and the names of those that none has. */
export function mutantsSection(recorded: RecordedMutants): string {
  const { results, untried } = recorded;
  const missing = [
    ...results.filter((result) => !wasSeen(result)).map(({ mutant, says }) => `- **not seen**: ${mutant} (${says})`),
    ...untried.map((name) => `- not tried: ${name}`),
  ];
  return [
    '## Mutants',
    `A check that can't fail proves nothing: [each mutant](../test/faults/mutants/README.md) is a small defect that is put into a copy of the code, and a
run or a test must see it within its budget. Last trial on ${dayOfTrials(recorded)}: ${mutantsKilled(recorded)}. Each with its check and what that
said is in [the record](../test/faults/recorded/mutants.json).`,
    markdownTable(
      ['seen by', 'mutants', 'seen', 'seconds in all'],
      [...Map.groupBy(results, kindOfCheck)].map(([kind, all]) => [
        kind,
        String(all.length),
        String(all.filter(wasSeen).length),
        String(all.reduce((sum, { seconds }) => sum + seconds, 0)),
      ]),
    ),
    ...(missing.length === 0 ? [] : [missing.join('\n')]),
  ].join('\n\n');
}

/** A run of test/faults with its name, or the folder of the test. */
const kindOfCheck = ({ check }: Result): string =>
  check.startsWith('--run') ? 'a fault run' : `a test of ${check.split('/').slice(0, 2).join('/')}`;
