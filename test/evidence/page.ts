import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from '../support/markdown-table.ts';
import { type Evidence, readEvidence } from './evidence.ts';
import { resultOf } from './results.ts';

/** The text of docs/evidence.md. */
export const evidencePage = (rows: readonly Evidence[]): string =>
  `${[
    '# Evidence',
    `For whoever wants to check a claim: what \`make test\` does not run, each with the last result on two cores. A missed aim says **missed**; *commit* is the
tree that was tested. A command with \`--record\` keeps its result, and \`npm run docs:write\` writes this page from it.`,
    markdownTable(
      ['holds', 'command', 'last result', 'on', 'commit'],
      rows.map((row) => {
        const { result, day, commit } = resultOf(row);
        return [row.holds, row.command.startsWith(byHand) ? row.command : `\`${row.command}\``, result, day, commit];
      }),
    ),
  ].join('\n\n')}\n`;

/** Begins the description of a run that no command makes. */
const byHand = 'by hand';

/** Writes it: `npm run docs:write`. @param docs the folder */
export const writeEvidencePage = (docs: string): void =>
  writeFileSync(join(docs, 'evidence.md'), evidencePage(readEvidence()));
