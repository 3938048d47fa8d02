import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { allSteps, parseSteps, type Step } from './steps.ts';
import { type SystemName, systemNames } from './systems/system.ts';

export interface Wanted {
  systems: SystemName[];
  steps: Step[];
  turns: number;
  isRecorded: boolean;
  /** The folders of two checkouts that are compared with each other, not with the peers: before a change, and with it. */
  trees: readonly [before: string, after: string] | undefined;
  /** The line that repeats it. */
  again: string;
}

/** For two checkouts: enough to see a tenth of an event's cost. */
const stepsOfTrees = 'at:100';
const turnsOfTrees = 5;

export const usage =
  `usage: make bench-peers ARGS='[--only ${systemNames.join(',')}] [--steps ${allSteps}] [--turns N] [--record]'\n` +
  `       make bench-peers ARGS='--trees BEFORE,AFTER [--only …] [--steps ${stepsOfTrees}] [--turns N]'`;

/** @throws Error that explains the invalid argument */
export function parseWanted(args: readonly string[]): Wanted {
  const { values } = parseArgs({
    args: [...args],
    options: {
      trees: { type: 'string' },
      only: { type: 'string' },
      steps: { type: 'string' },
      turns: { type: 'string' },
      record: { type: 'boolean', default: false },
    },
  });
  const trees = values.trees === undefined ? undefined : parseTrees(values.trees);
  const possible = systemNames.filter((name) => trees === undefined || name.startsWith('hookline-'));
  const steps = values.steps ?? (trees === undefined ? allSteps : stepsOfTrees);
  const turns = Number(values.turns ?? (trees === undefined ? 1 : turnsOfTrees));
  const names = values.only?.split(',') ?? possible;
  const unknown = names.filter((name) => !possible.some((each) => each === name));
  if (unknown.length > 0) throw new Error(`there is no system ${unknown.join(', ')}; there are ${possible.join(', ')}`);
  if (!Number.isInteger(turns) || turns < 1) throw new Error('--turns must be a whole number above 0');
  if (trees !== undefined && values.record)
    throw new Error('--record keeps a comparison with the peers, not of --trees');
  const systems = possible.filter((name) => names.includes(name));
  const ofTrees = trees === undefined ? '' : `--trees ${trees.join()} `;
  const again = `make bench-peers ARGS='${ofTrees}--only ${systems.join()} --steps ${steps} --turns ${turns}'`;
  return { systems, steps: parseSteps(steps), turns, isRecorded: values.record, trees, again };
}

function parseTrees(text: string): readonly [string, string] {
  const [before, after, ...more] = text.split(',').map((folder) => resolve(folder));
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error('--trees takes the folders of two checkouts: before a change, and with it');
  for (const folder of [before, after])
    if (!existsSync(join(folder, 'deploy/local/stack/native-parts.ts')) || !existsSync(join(folder, 'node_modules')))
      throw new Error(`--trees: ${folder} is no checkout of Hookline whose packages are installed`);
  return [before, after];
}
