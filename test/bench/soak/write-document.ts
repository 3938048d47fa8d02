/** docs/soak.md and its plots, from what a run has found: no figure there is written by hand. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { writePlots } from '../../support/plots/write-plot.ts';
import { documentOf } from './document.ts';
import { plotsOf } from './plots.ts';
import type { SoakReport } from './report.ts';

export async function writeDocument(report: SoakReport): Promise<void> {
  const docs = join(root, 'docs');
  await writePlots(docs, 'soak', plotsOf(report));
  writeFileSync(join(docs, 'soak.md'), documentOf(report));
}
