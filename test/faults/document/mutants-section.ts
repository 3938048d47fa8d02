import { markdownTable } from '../../support/markdown-table.ts';
import { lanes } from '../mutants/mutant.ts';
import { dayOfTrials, type RecordedMutants, type Result } from '../mutants/results.ts';

/** In a line. A mutant with two checks counts as seen once both have seen it. */
export function mutantsKilled({ listed, untried, results }: RecordedMutants): string {
  const notTried = new Set(untried.map(({ mutant }) => mutant)).size;
  const open = new Set([...untried, ...results.filter((result) => !wasSeen(result))].map(({ mutant }) => mutant)).size;
  const byDay = results.filter((result) => wasSeen(result) && result.lane === 'day').length;
  return `${listed - open} of ${listed} defects seen, ${byDay} by day${notTried === 0 ? '' : `, ${notTried} not tried`}`;
}

const wasSeen = ({ verdict }: Result): boolean => verdict === 'seen';

/** How many mutants each kind of check has seen, and each check with its last result. */
export function mutantsSection(recorded: RecordedMutants): string {
  const { results, untried } = recorded;
  const kinds = lanes.flatMap((lane) =>
    [
      ...Map.groupBy(
        results.filter((result) => result.lane === lane),
        kindOfCheck,
      ),
    ].map(([kind, all]) => [
      ...[kind, lane, String(all.length), String(all.filter(wasSeen).length)],
      String(all.reduce((sum, { seconds }) => sum + seconds, 0)),
    ]),
  );
  return [
    '## Mutants',
    `A check that can't fail proves nothing: [each mutant](../test/faults/mutants/README.md) is a small defect that is put into a copy of the code, and a
run or a test must see it within its budget. Last trial on ${dayOfTrials(recorded)}: ${mutantsKilled(recorded)}. The day's lane is \`make test\`. Some
mutants have two checks: a small witness by day, the proof by night.`,
    markdownTable(['seen by', 'lane', 'mutants', 'seen', 'seconds in all'], kinds),
    markdownTable(
      ['mutant', 'lane', 'check', 'last result'],
      [
        ...results.map((result) => [result.mutant, result.lane, result.check, lastOf(result)]),
        ...untried.map(({ mutant, lane }) => [mutant, lane, '', 'not tried']),
      ],
    ),
  ].join('\n\n');
}

const lastOf = (result: Result): string =>
  wasSeen(result) ? `seen in ${result.seconds} s` : `**not seen**: ${result.says}`;

/** A run of test/faults, or the folder of the test. */
const kindOfCheck = ({ check }: Result): string =>
  check.startsWith('--run') ? 'a fault run' : `a test of ${check.split('/').slice(0, 2).join('/')}`;
