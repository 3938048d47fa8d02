/**
 * Time limits: many are started, few are reached, most are stopped within milliseconds. All share one timer. It is set for the earliest
 * limit, stays set if that is stopped, and finds the next limit when it fires. So starting and stopping a limit touches no timer.
 *
 * A limit fires at the first multiple of the granularity that is not before its time: never early, and late by less than the granularity
 * plus a millisecond or two of the timer and the event-loop lag. The timer keeps no process alive while no limit is running.
 */
export interface TimeLimits {
  /** @returns a function that stops the limit; afterwards `onDue` is not called, even if it was due */
  start(ms: number, onDue: () => void): () => void;
  /** The same for an instant: limits that are due at one multiple of the granularity are reached together. */
  startAt(atMs: number, onDue: () => void): () => void;
  /** How many are running. */
  readonly running: number;
}

interface Deps {
  monotonicMs(): number;
  granularityMs: number;
  /** Node's, but for tests. */
  setTimer?(onDue: () => void, ms: number): Timer;
}

interface Timer {
  ref(): unknown;
  unref(): unknown;
  close(): unknown;
}

interface Limit {
  readonly onDue: () => void;
}

export function createTimeLimits({ monotonicMs, granularityMs, setTimer = setTimeout }: Deps): TimeLimits {
  /** By the multiple of the granularity at which they are due; a tick without limits has no entry. */
  const limitsAt = new Map<number, Set<Limit>>();
  let running = 0;
  let timer: Timer | undefined;
  let timerTick = Number.POSITIVE_INFINITY;

  function setTimerFor(tick: number): void {
    timer?.close();
    timerTick = tick;
    // Node's timers may fire a millisecond early, which would wake the process twice. If one does so all the same, `look` sets it again.
    timer = setTimer(look, Math.max(1, Math.ceil(tick * granularityMs - monotonicMs()) + 1));
  }

  function look(): void {
    timer = undefined;
    timerTick = Number.POSITIVE_INFINITY;
    const nowTick = Math.floor(monotonicMs() / granularityMs);
    try {
      for (const tick of [...limitsAt.keys()].filter((each) => each <= nowTick).sort((a, b) => a - b)) reach(tick);
    } finally {
      const next = [...limitsAt.keys()].reduce((least, tick) => Math.min(least, tick), Number.POSITIVE_INFINITY);
      if (next < timerTick) setTimerFor(next);
    }
  }

  function reach(tick: number): void {
    const limits = limitsAt.get(tick) ?? new Set();
    // A limit of no time that is started meanwhile is handled by the next look.
    limitsAt.delete(tick);
    for (const limit of limits) {
      limits.delete(limit);
      running -= 1;
      limit.onDue();
    }
  }

  function startAt(atMs: number, onDue: () => void): () => void {
    const tick = Math.ceil(atMs / granularityMs);
    const limits = limitsAt.get(tick) ?? new Set();
    if (limits.size === 0) limitsAt.set(tick, limits);
    const limit = { onDue };
    limits.add(limit);
    running += 1;
    if (tick < timerTick) setTimerFor(tick);
    else if (running === 1) timer?.ref();
    return () => {
      if (!limits.delete(limit)) return;
      running -= 1;
      if (limits.size === 0 && limitsAt.get(tick) === limits) limitsAt.delete(tick);
      if (running === 0) timer?.unref();
    };
  }

  return {
    start: (ms, onDue) => startAt(monotonicMs() + ms, onDue),
    startAt,
    get running() {
      return running;
    },
  };
}
