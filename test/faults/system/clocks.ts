import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KnownClocks } from '../delivering/follow-dispatchers.ts';
import type { ProcessName } from '../../support/pipeline.ts';

/** The wall clocks of the processes, which can be set independently. */
export interface Clocks extends KnownClocks {
  /** The environment that sets a process's clock. */
  envOf(name: ProcessName): Readonly<Record<string, string>>;
  /** From about now on, for the successors of the process too. 0: as it should be. */
  set(name: ProcessName, stepMs: number): void;
  /** Like `trueTimeOf`, for an unknown process. */
  trueTimeOfAny(timeMs: number): number;
}

const preload = new URL('stepped-clock.ts', import.meta.url).href;
/** A process hears of a step a little later, and what it has said before that comes still later. */
const forgottenAfterMs = 60_000;

interface Step {
  stepMs: number;
  untilMs: number;
}

/** @param dir for a file for each process */
export function createClocks(dir: string, nowMs: () => number = Date.now): Clocks {
  mkdirSync(dir, { recursive: true });
  const steps = new Map<string, Step[]>();
  const fileOf = (name: string): string => join(dir, `${name}.ms`);
  const write = (name: string, stepMs: number): void => {
    // Written aside and renamed: a reader must not meet half of it.
    writeFileSync(`${fileOf(name)}.new`, String(stepMs));
    renameSync(`${fileOf(name)}.new`, fileOf(name));
  };
  /** Steps are far longer than anything that was said is on its way: the one after which it is nearest to now was in force. */
  const nearestToNow = (timeMs: number, known: readonly Step[]): number => {
    const atMs = nowMs();
    const [nearest = timeMs] = known
      .filter(({ untilMs }) => untilMs > atMs - forgottenAfterMs)
      .map(({ stepMs }) => timeMs - stepMs)
      .sort((a, b) => Math.abs(a - atMs) - Math.abs(b - atMs));
    return nearest;
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
    trueTimeOf: (name, timeMs) => nearestToNow(timeMs, steps.get(name) ?? []),
    trueTimeOfAny: (timeMs) => nearestToNow(timeMs, [...steps.values()].flat()),
    stepsOf: (name) => (steps.get(name) ?? []).map(({ stepMs }) => stepMs),
  };
}
