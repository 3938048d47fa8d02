import type { Clock } from '#lib/runtime';

/** A clock that goes from one sleeper to the next: days pass in the time that it takes to do what happens in them. */
export interface EventClock extends Clock {
  /** Lets time pass until this instant, or until `isEnough`. */
  runUntil(untilMs: number, isEnough: () => boolean): Promise<void>;
}

interface Sleeper {
  dueMs: number;
  wake: (() => void) | undefined;
}

/** Everything that happens within so long happens at its end: there are fewer instants then, and each costs a turn of the event loop. */
const stepMs = 5;

export function createEventClock(startMs: number): EventClock {
  let now = startMs;
  /** A heap: the soonest first. */
  const sleepers: Sleeper[] = [];

  function push(sleeper: Sleeper): void {
    let at = sleepers.push(sleeper) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = sleepers[above] as Sleeper;
      if (parent.dueMs <= sleeper.dueMs) break;
      sleepers[at] = parent;
      at = above;
    }
    sleepers[at] = sleeper;
  }

  function pop(): Sleeper | undefined {
    const first = sleepers[0];
    const last = sleepers.pop();
    if (last === undefined || sleepers.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= sleepers.length) break;
      const right = left + 1;
      const isRight = right < sleepers.length && (sleepers[right] as Sleeper).dueMs < (sleepers[left] as Sleeper).dueMs;
      const below = isRight ? right : left;
      if ((sleepers[below] as Sleeper).dueMs >= last.dueMs) break;
      sleepers[at] = sleepers[below] as Sleeper;
      at = below;
    }
    sleepers[at] = last;
    return first;
  }

  const sleepUntil = (atMs: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const sleeper: Sleeper = { dueMs: Math.ceil(atMs / stepMs) * stepMs, wake: undefined };
      sleeper.wake = () => {
        sleeper.wake = undefined;
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const wake = (): void => sleeper.wake?.();
      signal?.addEventListener('abort', wake);
      push(sleeper);
    });

  return {
    nowMs: () => now,
    monotonicMs: () => now,
    sleep: (ms, signal) => sleepUntil(now + ms, signal),
    sleepUntilNext: (everyMs, signal) => sleepUntil((Math.floor(now / everyMs) + 1) * everyMs, signal),
    startLimit(ms, onDue) {
      const sleeper: Sleeper = { dueMs: Math.ceil((now + ms) / stepMs) * stepMs, wake: onDue };
      push(sleeper);
      return () => void (sleeper.wake = undefined);
    },
    async runUntil(untilMs, isEnough) {
      // Code that is about to sleep must have done so before the first sleeper is woken.
      await new Promise(setImmediate);
      while (now < untilMs && !isEnough()) {
        now = Math.min(untilMs, Math.max(now, sleepers[0]?.dueMs ?? untilMs));
        while (sleepers[0] !== undefined && sleepers[0].dueMs <= now) pop()?.wake?.();
        await new Promise(setImmediate);
      }
    },
  };
}
