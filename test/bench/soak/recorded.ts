import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { documentOf } from './document.ts';
import type { SoakReport } from './report.ts';
import { type SoakSummary, summaryOf } from './summary.ts';

const file = join(root, 'test/bench/recorded/soak.json');

export function recordSoak(report: SoakReport, say: (line: string) => void): void {
  writeFileSync(file, `${JSON.stringify(summaryOf(report), null, 2)}\n`);
  say(`recorded: ${file}\nnow: npm run docs:write`);
}

export const recordedSoak = (): SoakSummary | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SoakSummary) : undefined;

/** Writes docs/soak.md from the recorded run: `npm run docs:write`. @param docs the folder */
export function writeSoakPage(docs: string): void {
  const summary = recordedSoak();
  if (summary !== undefined) writeFileSync(join(docs, 'soak.md'), documentOf(summary));
}
