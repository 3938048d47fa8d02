/** docs/soak.md and its plots, from what a run has found: no figure there is written by hand. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { writePlot } from '../../support/plots/write-plot.ts';
import { documentOf } from './document.ts';
import { plotsOf } from './plots.ts';
import type { SoakReport } from './report.ts';

export async function writeDocument(report: SoakReport): Promise<void> {
  const docs = join(root, 'docs');
  mkdirSync(join(docs, 'plots'), { recursive: true });
  for (const { name, plot } of plotsOf(report)) await writePlot(join(docs, 'plots', `soak-${name}.svg`), plot);
  writeFileSync(join(docs, 'soak.md'), documentOf(report));
}
