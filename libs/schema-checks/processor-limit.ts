/**
 * Limits what a thread takes of a processor. Time in which other work had the processor does not count, so a busy machine makes no schema too slow;
 * by the clock there is a far limit for a thread that gets nowhere.
 */
import type { Worker } from 'node:worker_threads';

export type Exceeded =
  /** The thread took its limit, or did not even say how much it took. */
  | 'too_slow'
  /** By the clock it is over, but the processor was others'. */
  | 'busy';

interface Limited {
  thread: Pick<Worker, 'cpuUsage'>;
  /** The thread's processor time in all, in ms, when it was asked. */
  sinceMs: number;
  limitMs: number;
  /** Called once at most. */
  onExceeded(exceeded: Exceeded): void;
}

/** By the clock. */
export const farLimitMs = (limitMs: number): number => Math.max(10 * limitMs, 5_000);
const minLookMs = 5;

export const processorMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

/** @returns ends the watch; nothing is called afterwards */
export function limitProcessorTime({ thread, sinceMs, limitMs, onExceeded }: Limited): () => void {
  let look: NodeJS.Timeout | undefined;
  let [isOver, isHeardOf] = [false, false];
  const far = setTimeout(() => exceed(isHeardOf ? 'busy' : 'too_slow'), farLimitMs(limitMs));

  function stop(): void {
    isOver = true;
    clearTimeout(look);
    clearTimeout(far);
  }

  function exceed(exceeded: Exceeded): void {
    if (isOver) return;
    stop();
    onExceeded(exceeded);
  }

  async function decide(): Promise<void> {
    // A thread that has ended is the caller's to notice.
    const usage = await thread.cpuUsage().catch(() => undefined);
    if (isOver || usage === undefined) return;
    isHeardOf = true;
    const tookMs = processorMs(usage) - sinceMs;
    if (tookMs >= limitMs) exceed('too_slow');
    else lookIn(Math.max(limitMs - tookMs, minLookMs));
  }

  function lookIn(ms: number): void {
    look = setTimeout(() => void decide(), ms);
  }

  lookIn(limitMs);
  return stop;
}
