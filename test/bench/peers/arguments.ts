import { parseArgs } from 'node:util';
import { allSteps, parseSteps, type Step } from './steps.ts';
import { type SystemName, systemNames } from './systems/system.ts';

export interface Wanted {
  systems: SystemName[];
  steps: Step[];
  turns: number;
  isRecorded: boolean;
  /** The line that repeats it. */
  again: string;
}

export const usage = `usage: make bench-peers ARGS='[--only ${systemNames.join(',')}] [--steps ${allSteps}] [--turns N] [--record]'`;

/** @throws Error that explains the invalid argument */
export function parseWanted(args: readonly string[]): Wanted {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: systemNames.join() },
      steps: { type: 'string', default: allSteps },
      turns: { type: 'string', default: '1' },
      record: { type: 'boolean', default: false },
    },
  });
  const { only, steps, turns: givenTurns, record: isRecorded } = values;
  const names = only.split(',');
  const systems = systemNames.filter((name) => names.includes(name));
  const unknown = names.filter((name) => !systemNames.some((each) => each === name));
  if (unknown.length > 0)
    throw new Error(`there is no system ${unknown.join(', ')}; there are ${systemNames.join(', ')}`);
  const turns = Number(givenTurns);
  if (!Number.isInteger(turns) || turns < 1) throw new Error('--turns must be a whole number above 0');
  const again = `make bench-peers ARGS='--only ${systems.join()} --steps ${steps} --turns ${turns}'`;
  return { systems, steps: parseSteps(steps), turns, isRecorded, again };
}
