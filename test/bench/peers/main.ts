/**
 * Hookline beside its peers: `make bench-peers`, or a part of it, `make bench-peers ARGS='--only outpost,hookline-webhooks --steps at:100,closed
 * --turns 3'`. The same events, the same receiver, one system after the other; all processes of each are counted and all arrivals reconciled.
 * A peer that is not to be had is said. `--record` keeps the run for docs/speed.md.
 */
import { StackError } from '#deploy/local/failure.ts';
import { testedCommit } from '../../support/tested-commit.ts';
import { describeFigure } from '../support/figure.ts';
import { keepReport, type KeptReport, recordReport } from '../support/kept-reports.ts';
import { describeMachine, machineNow } from '../support/machine.ts';
import { parseWanted, usage, type Wanted } from './arguments.ts';
import { compareSystems } from './compare-systems.ts';
import { readPeerPrograms } from './config.ts';
import { stopHeld } from './held-system.ts';
import { peersName, reportOf } from './report.ts';
import { hookline } from './systems/hookline.ts';
import { createOutpost } from './systems/outpost.ts';
import { createSvix } from './systems/svix.ts';

const say = (line: string): void => console.log(line);
const wanted = readWanted();
const { outpostFolder, svixServer } = readPeerPrograms();
const software = [createOutpost(outpostFolder), createSvix(svixServer), hookline];

let interrupted: Promise<unknown> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    say('interrupted: what was started is stopped');
    interrupted = Promise.all(software.map(stopHeld)).finally(() => process.exit(130));
  });

try {
  process.exit(await compare());
} catch (error) {
  // An interrupted run may fail in any way; that is not reported.
  await interrupted;
  console.error(error instanceof StackError ? error.message : error);
  process.exit(1);
}

/** @returns the exit code */
async function compare(): Promise<number> {
  const machine = machineNow();
  const startedAt = new Date().toISOString();
  const commit = testedCommit();
  say(`${wanted.again}\n${describeMachine(machine)}`);
  const comparison = await compareSystems({ software, ...wanted, say });
  const about = { bench: peersName, startedAt, commit, again: wanted.again, machine };
  const report: KeptReport = { ...about, ...reportOf(comparison, wanted) };
  say(['', report.setUp, ...report.figures.map(describeFigure), ...report.notes].join('\n'));
  for (const each of report.unaccounted) say(`UNACCOUNTED: ${each}`);
  say(`kept: ${keepReport(report)}`);
  if (wanted.isRecorded) say(`recorded: ${recordReport(report)}\nnow: npm run docs:write`);
  return report.unaccounted.length > 0 ? 1 : 0;
}

function readWanted(): Wanted {
  try {
    return parseWanted(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    return process.exit(2);
  }
}
