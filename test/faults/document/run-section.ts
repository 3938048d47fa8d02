import { recordOf } from './glance.ts';
import { type NamedRun, systemResultOf, violationsOf } from './recordings.ts';
import { systemSection } from './system-section.ts';

/** A table with more lines, or a violation, is cut: the rest is in the record. */
const [tableLinesShown, violationLinesShown] = [14, 4];

/** The section of one run. */
export function runSection(named: NamedRun): string {
  const { name, run } = named;
  const system = systemResultOf(run);
  const { setUp, seed, minutes, startedAt, commit } = run;
  return [
    `## ${name}`,
    `The run \`${run.run}\` on ${startedAt.slice(0, 10)} at commit ${commit}, ${minutes.toFixed(1)} minutes, seed ${seed}: ${verdictOf(named)}`,
    `On ${setUp.processes}; ${setUp.cpus}, ${setUp.memoryGiB} GiB, Node ${setUp.node}.`,
    system === undefined
      ? run.tables.map((table) => codeBlock(shortened(table))).join('\n\n')
      : systemSection(named, system),
  ].join('\n\n');
}

function verdictOf(named: NamedRun): string {
  const violations = violationsOf(named.run);
  if (violations.length === 0) return 'no violation.';
  const shown = violations.map((violation) => codeBlock(firstLines(violation.split('\n'), violationLinesShown)));
  return `**${violations.length} ${violations.length === 1 ? 'violation' : 'violations'}**, whole in [the record](${recordOf(named)}).\n\n${shown.join('\n\n')}`;
}

/** A long table keeps what stands below it, which sums it up. */
function shortened(table: string): string {
  const lines = table.split('\n');
  return lines.length <= tableLinesShown ? table : `… ${lines.length - 1} lines, in the record\n${lines.at(-1)}`;
}

const firstLines = (lines: readonly string[], most: number): string =>
  lines.length <= most ? lines.join('\n') : [...lines.slice(0, most), '…'].join('\n');

const codeBlock = (text: string): string => `\`\`\`\n${text}\n\`\`\``;
