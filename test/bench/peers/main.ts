/**
 * Hookline beside its peers: `make bench-peers`, or a part of it, `make bench-peers ARGS='--only outpost,hookline-webhooks --steps at:100,closed
 * --turns 3'`. The same events, the same receiver, one system after the other; all processes of each are counted and all arrivals reconciled.
 * A peer that is not to be had is said. `--record` keeps the run for docs/speed.md. `--trees BEFORE,AFTER` compares two checkouts of Hookline
 * instead, in interleaved turns.
 */
import { StackError } from '#deploy/local/failure.ts';
import { testedCommit } from '../../support/tested-commit.ts';
import type { BenchReport } from '../support/bench.ts';
import { describeFigure } from '../support/figure.ts';
import { keepReport, type KeptReport, recordReport } from '../support/kept-reports.ts';
import { describeMachine, machineNow } from '../support/machine.ts';
import { parseWanted, usage, type Wanted } from './arguments.ts';
import { compareSystems } from './compare-systems.ts';
import { compareTrees, type Pair } from './compare-trees.ts';
import { readPeerPrograms } from './config.ts';
import { openParts } from './kept-parts.ts';
import { describeEstimate, estimateSeconds, estimateSecondsOfTrees } from './estimate.ts';
import { stopHeld } from './held-system.ts';
import { peersName, reportOf } from './report.ts';
import { createHookline } from './systems/hookline.ts';
import { createOutpost } from './systems/outpost.ts';
import { createSvix } from './systems/svix.ts';
import { isHookline, type Software } from './systems/system.ts';
import { treeReportOf, treesName } from './tree-report.ts';

const say = (line: string): void => console.log(line);
const wanted = readWanted();
const { outpostFolder, svixServer } = readPeerPrograms();
const modes = ['separate', 'one'] as const;
const pairs = modes.flatMap((mode): Pair[] => {
  if (wanted.trees === undefined) return [];
  const [before, after] = wanted.trees;
  return [
    [createHookline({ mode, tree: before, name: 'before' }), createHookline({ mode, tree: after, name: 'after' })],
  ];
});
const peers = [
  ...[createOutpost(outpostFolder), createSvix(svixServer)],
  ...modes.map((mode) => createHookline({ mode })),
];
const software: readonly Software[] = wanted.trees === undefined ? peers : pairs.flat();

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
  say(`${wanted.again}\n${describeMachine(machine)}\n${estimate()}`);
  const bench = wanted.trees === undefined ? peersName : treesName;
  const report: KeptReport = {
    bench,
    startedAt,
    commit,
    again: wanted.again,
    machine,
    ...(wanted.trees === undefined ? await comparePeers(commit) : await compareCheckouts()),
  };
  say(['', report.setUp, ...report.figures.map(describeFigure), ...report.notes].join('\n'));
  for (const each of report.unaccounted) say(`UNACCOUNTED: ${each}`);
  say(`kept: ${keepReport(report)}`);
  if (wanted.isRecorded) say(`recorded: ${recordReport(report)}\nnow: npm run docs:write`);
  return report.unaccounted.length > 0 ? 1 : 0;
}

async function comparePeers(commit: string): Promise<BenchReport> {
  const parts = openParts({ commit, again: wanted.again });
  const comparison = await compareSystems({ software, ...wanted, parts, say });
  parts.end();
  return reportOf(comparison, wanted);
}

async function compareCheckouts(): Promise<BenchReport> {
  const facts = [];
  for (const each of pairs[0] ?? []) facts.push(await each.facts());
  return treeReportOf(await compareTrees({ pairs, ...wanted, say }), { facts, turns: wanted.turns });
}

function estimate(): string {
  const measured = (wanted.trees === undefined ? peers : pairs.map(([before]) => before)).filter(
    (each) => each.trouble() === undefined,
  );
  const systemsOf = measured.map((each) => ({
    isHookline: isHookline(each),
    systems: each.systems.filter((name) => wanted.systems.includes(name)).length,
  }));
  const plan = { ...wanted, systemsOf: systemsOf.filter(({ systems }) => systems > 0) };
  const seconds = wanted.trees === undefined ? estimateSeconds(plan) : estimateSecondsOfTrees(plan);
  return describeEstimate(seconds, new Date());
}

function readWanted(): Wanted {
  try {
    return parseWanted(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    return process.exit(2);
  }
}
