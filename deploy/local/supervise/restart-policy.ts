import { type Random, spreadAroundMs } from '#lib/runtime';

/**
 * When a process that has ended is started again:
 *
 *   running ─ it has ended ─► ended ─ due ─► started again ─ it is seen to run ─► running
 *
 * The wait doubles with each end in a row, from one second to a minute, and is spread, so that what has ended together does not come
 * back together. After a minute of running an end is the first of a row again.
 */
export interface RestartPolicy {
  /** It runs at this moment. */
  sawRunning(nowMs: number): void;
  /** The process does not run: how long to wait before restarting it (0: now), and how long it has been down. */
  sawEnded(nowMs: number): { waitMs: number; endedMs: number };
  /** It was tried to start it: if it does not run then, it has ended again. */
  tried(): void;
}

const baseMs = 1_000;
const capMs = 60_000;
const jitter = 0.2;
/** After running so long, a process counts as stable again. */
const stableAfterMs = 60_000;

type State = { is: 'new' } | { is: 'running'; sinceMs: number } | { is: 'ended'; atMs: number; dueMs: number };

/** @param random uniform in [0, 1) */
export function createRestartPolicy(random: Random): RestartPolicy {
  let state: State = { is: 'new' };
  let endsInARow = 0;

  const end = (nowMs: number): Extract<State, { is: 'ended' }> => {
    const waitMs = spreadAroundMs(Math.min(capMs, baseMs * 2 ** endsInARow), jitter, random);
    // More than that changes nothing: the cap is reached.
    endsInARow = Math.min(endsInARow + 1, Math.ceil(Math.log2(capMs / baseMs)));
    return { is: 'ended', atMs: nowMs, dueMs: nowMs + waitMs };
  };

  return {
    sawRunning(nowMs) {
      if (state.is !== 'running') state = { is: 'running', sinceMs: nowMs };
      if (nowMs - state.sinceMs >= stableAfterMs) endsInARow = 0;
    },
    sawEnded(nowMs) {
      if (state.is !== 'ended') state = end(nowMs);
      return { waitMs: Math.max(0, state.dueMs - nowMs), endedMs: state.atMs };
    },
    tried() {
      state = { is: 'new' };
    },
  };
}
