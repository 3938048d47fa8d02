/** Writes docs/speed.md and its plots from the recordings: `npm run docs:write`. Without recordings there is no page. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePlots } from '../../support/plots/write-plot.ts';
import { growthNames, stageNames } from '../benches.ts';
import { peersName } from '../peers/report.ts';
import { recordedReports } from '../support/kept-reports.ts';
import { pageOf } from './page.ts';

/** @param docs the folder */
export async function writeSpeedPage(docs: string): Promise<void> {
  const recordings = {
    stages: recordedReports(stageNames),
    growth: recordedReports(growthNames),
    peers: recordedReports([peersName]),
  };
  const all = Object.values(recordings).flat();
  const page = join(docs, 'speed.md');
  await writePlots(
    docs,
    'speed',
    all.flatMap(({ plots = [] }) => plots),
  );
  if (all.length === 0) rmSync(page, { force: true });
  else writeFileSync(page, pageOf(recordings));
}
