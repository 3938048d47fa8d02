/**
 * Restarts processes of the local stack that have ended; the process of `supervise.ts` calls `look` every half second.
 *
 * It never starts what a command has stopped on purpose. `make up`, `make down` and `make clean` hold the stack's lock while they stop and
 * start. The supervisor starts something only while it holds the same lock, and then checks again that the process is gone and that it is
 * still the registered supervisor. `make down` stops it first, under the lock. So its starts never overlap with a command.
 *
 * It holds the lock for the start only, not until the process is ready: a command that comes meanwhile finds it running.
 */
import type { Clock, Random } from '#lib/runtime';
import type { Ending, Processes } from '../processes/processes.ts';
import { createRestartPolicy } from './restart-policy.ts';

export interface Restart {
  name: string;
  /** When it was seen to be gone. */
  endedAtMs: number;
  /** Undefined if unknown, because the shell beside it was killed as well. */
  how: Ending | undefined;
  lastLogLine: string;
  startedAtMs: number;
}

export interface Supervised {
  name: string;
  /** Starts it; ready is another matter. */
  launch(): Promise<void>;
}

interface Options {
  /** Programs are started in this order if several are due. */
  programs: readonly Supervised[];
  processes: Pick<Processes, 'pid' | 'howEnded' | 'lastLogLines'>;
  /** Whether it is this supervisor that is to see to the stack. */
  isInCharge(): boolean;
  /** Runs the work unless a command is working on the stack; then resolves at once. */
  withStack(work: () => Promise<void>): Promise<unknown>;
  onRestart(restart: Restart): void;
  onFailure(name: string, error: unknown): void;
  clock: Clock;
  random: Random;
}

export interface Supervisor {
  /** Restarts what is due. False if it is no longer in charge and must end. */
  look(): Promise<boolean>;
}

export function createSupervisor(options: Options): Supervisor {
  const { programs, processes, isInCharge, withStack, onRestart, onFailure, clock, random } = options;
  const watched = programs.map((program) => ({ ...program, policy: createRestartPolicy(random) }));
  type Watched = (typeof watched)[number];
  const isRunning = ({ name }: Watched): boolean => processes.pid(name) !== undefined;

  const isDue = (each: Watched): boolean => {
    const nowMs = clock.monotonicMs();
    if (!isRunning(each)) return each.policy.sawEnded(nowMs).waitMs === 0;
    each.policy.sawRunning(nowMs);
    return false;
  };

  async function startAgain(each: Watched): Promise<void> {
    const { name, policy, launch } = each;
    const nowMs = clock.nowMs();
    const endedAtMs = nowMs - (clock.monotonicMs() - policy.sawEnded(clock.monotonicMs()).endedMs);
    const how = processes.howEnded(name);
    const [lastLogLine = ''] = processes.lastLogLines(name, 1);
    policy.tried();
    try {
      await launch();
    } catch (error) {
      return onFailure(name, error);
    }
    onRestart({ name, endedAtMs, how, lastLogLine, startedAtMs: clock.nowMs() });
  }

  return {
    async look() {
      const due = watched.filter(isDue);
      if (due.length === 0 || !isInCharge()) return isInCharge();
      await withStack(async () => {
        for (const each of due) if (isInCharge() && !isRunning(each)) await startAgain(each);
      });
      return isInCharge();
    },
  };
}
