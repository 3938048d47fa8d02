import { markdownTable } from '../../support/markdown-table.ts';
import { lengthOf } from './glance.ts';
import { type NamedRun, systemResultOf, violationsOf } from './recordings.ts';
import { systemSection } from './system-section.ts';

/** Lines shown of each violation: the rest is in the record. */
const linesShown = 20;

/** The section of one run, with the command to repeat it. */
export function runSection(named: NamedRun): string {
  const { name, run } = named;
  const system = systemResultOf(run);
  return [
    `## ${name}`,
    `The run [\`${run.run}\`](../test/faults/README.md) on ${run.startedAt.slice(0, 10)}, ${run.minutes.toFixed(1)} minutes: ${verdictOf(named)}`,
    system === undefined ? run.tables.map(codeBlock).join('\n\n') : systemSection(named, system),
    markdownTable(
      ['set-up', ''],
      [
        ['machine', `${run.setUp.cpus}, ${run.setUp.memoryGiB} GiB`],
        ['Node', run.setUp.node],
        ['processes', run.setUp.processes],
        ['asked for', `${lengthOf(run)}, seed ${run.seed}`],
      ],
    ),
    'Again:',
    codeBlock(run.replay),
  ].join('\n\n');
}

function verdictOf({ name, run }: NamedRun): string {
  const violations = violationsOf(run);
  if (violations.length === 0) return 'no violation.';
  const shown = violations.map((violation) => {
    const lines = violation.split('\n');
    return lines.length <= linesShown ? violation : [...lines.slice(0, linesShown), '…'].join('\n');
  });
  return `**${violations.length} ${violations.length === 1 ? 'violation' : 'violations'}**, whole in [what was recorded](../test/faults/recorded/${name}.json).\n\n${shown.map(codeBlock).join('\n\n')}`;
}

const codeBlock = (text: string): string => `\`\`\`\n${text}\n\`\`\``;
