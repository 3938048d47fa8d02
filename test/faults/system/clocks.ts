import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessName } from '../../support/pipeline.ts';

/** The wall clocks of the processes, each of which may be set to another time than the others have. */
export interface Clocks {
  /** What a process's clock is read by. */
  envOf(name: ProcessName): Readonly<Record<string, string>>;
  /** From about now on, for the successors of the process too. 0: as it should be. */
  set(name: ProcessName, stepMs: number): void;
  /** What the time was when this process took it for that, some seconds before it is asked for at the most. */
  trueTimeOf(name: string, timeMs: number): number;
}

const preload = new URL('stepped-clock.ts', import.meta.url).href;
/** A process hears of a step a little later, and what it has said before that comes still later. */
const forgottenAfterMs = 60_000;

/** @param dir for a file for each process */
export function createClocks(dir: string, nowMs: () => number = Date.now): Clocks {
  mkdirSync(dir, { recursive: true });
  const steps = new Map<string, { stepMs: number; untilMs: number }[]>();
  const fileOf = (name: string): string => join(dir, `${name}.ms`);
  const write = (name: string, stepMs: number): void => {
    // Whoever reads it must not meet half of it.
    writeFileSync(`${fileOf(name)}.new`, String(stepMs));
    renameSync(`${fileOf(name)}.new`, fileOf(name));
  };
  return {
    envOf(name) {
      if (!steps.has(name)) {
        steps.set(name, [{ stepMs: 0, untilMs: Number.POSITIVE_INFINITY }]);
        write(name, 0);
      }
      return { NODE_OPTIONS: `--import=${preload}`, STEPPED_CLOCK: fileOf(name) };
    },
    set(name, stepMs) {
      const atMs = nowMs();
      const before = (steps.get(name) ?? []).map((step) => ({ ...step, untilMs: Math.min(step.untilMs, atMs) }));
      steps.set(name, [...before, { stepMs, untilMs: Number.POSITIVE_INFINITY }]);
      write(name, stepMs);
    },
    trueTimeOf(name, timeMs) {
      const atMs = nowMs();
      // Steps are far longer than anything that was said is on its way: the one after which it is nearest to now was in force.
      const [nearest = timeMs] = (steps.get(name) ?? [])
        .filter(({ untilMs }) => untilMs > atMs - forgottenAfterMs)
        .map(({ stepMs }) => timeMs - stepMs)
        .sort((a, b) => Math.abs(a - atMs) - Math.abs(b - atMs));
      return nearest;
    },
  };
}
