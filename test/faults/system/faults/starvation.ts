/** A machine that has other work: everything of the system gets less of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, freemem } from 'node:os';
import type { FaultKind, FaultWorld } from '../fault-kind.ts';

const mebibyte = 1024 * 1024;

/** Levels of other work; the system itself is at 0. */
const niceLevels = [0, 5, 10, 19] as const;
/** At each level. */
const hogsPerProcessor = 2;
const memoryShare = 0.6;
const mostMemoryBytes = 4 * 1024 * mebibyte;

/** They end by themselves, whatever happens to the run. */
const busy = `const endMs = Date.now() + Number(process.argv[1]); while (Date.now() < endMs);`;
const greedy = `
  const endMs = Date.now() + Number(process.argv[1]);
  const taken = Array.from({ length: Number(process.argv[2]) }, () => Buffer.alloc(${mebibyte}, 1));
  while (Date.now() < endMs) for (const each of taken) for (let at = 0; at < each.length; at += 4096) each[at] += 1;
`;

async function untilEnded(children: readonly ChildProcess[]): Promise<void> {
  await Promise.all(children.map(async (child) => child.exitCode ?? once(child, 'exit')));
}

const run = (nice: number, script: string, ...args: number[]): ChildProcess =>
  spawn('nice', ['-n', String(nice), process.execPath, '-e', script, ...args.map(String)], { stdio: 'ignore' });

const milliseconds = ({ random }: FaultWorld, leastSeconds: number, mostSeconds: number): number =>
  Math.round(1_000 * (leastSeconds + random() * (mostSeconds - leastSeconds)));

export const starvationFaults: readonly FaultKind[] = [
  {
    name: 'processor-starved',
    says: 'two busy processes for each processor at each of the nice levels 0, 5, 10 and 19, for 30 to 60 s',
    track: 'machine',
    async inflict(world) {
      const forMs = milliseconds(world, 30, 60);
      await world.during('the processors are busy', async () => {
        const perLevel = hogsPerProcessor * availableParallelism();
        const hogs = niceLevels.flatMap((nice) => Array.from({ length: perLevel }, () => run(nice, busy, forMs)));
        await untilEnded(hogs);
      });
    },
  },
  {
    name: 'memory-starved',
    says: 'a process that takes six tenths of the free memory, 4 GiB at most, and keeps touching it, for 15 to 30 s',
    track: 'machine',
    async inflict(world) {
      const forMs = milliseconds(world, 15, 30);
      const count = Math.floor(Math.min(mostMemoryBytes, memoryShare * freemem()) / mebibyte);
      await world.during('the memory is taken', () => untilEnded([run(0, greedy, forMs, count)]));
    },
  },
];
