/** Writes docs/faults.md and its plots from the recorded runs: `npm run docs:write`. Without records there is no page. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePlots } from '../../support/plots/write-plot.ts';
import { pageOf } from './page.ts';
import { plotsOf } from './plots.ts';
import { lastOfEachKind, readRecordings, type Recordings } from './recordings.ts';

/** @param docs the folder */
export async function writeFaultsPage(docs: string, recordings: Recordings = readRecordings()): Promise<void> {
  const { runs, mutants } = recordings;
  const page = join(docs, 'faults.md');
  await writePlots(docs, 'faults', lastOfEachKind(runs).flatMap(plotsOf));
  if (runs.length === 0 && mutants === undefined) rmSync(page, { force: true });
  else writeFileSync(page, pageOf(recordings));
}
