import type { Clock } from '#lib/runtime';

/**
 * Ends requests at their time limits, with one timer for each length of a limit: requests with equal limits end in the order in which they came,
 * so each length has a queue in that order. Suited to few lengths: here whole seconds up to 60.
 */

export interface Deadlines<T extends Timed> {
  /** Once each. */
  add(timed: T): void;
  /** Its time does not matter any more. */
  remove(timed: T): void;
}

export interface Timed {
  withinMs: number;
  /** Milliseconds of the monotonic clock; set when it is added. */
  endsAtMs: number;
}

interface Queue<T> {
  inOrder: Set<T>;
  /** Aborts when it is empty. */
  over: AbortController;
}

/** Deadlines of the same moment end over so many turns of the event loop: each is work, and others wait. */
const endsInTurn = 100;

/** @param onEnd of each whose time is up; it is removed by then */
export function createDeadlines<T extends Timed>(clock: Clock, onEnd: (timed: T) => void): Deadlines<T> {
  const queues = new Map<number, Queue<T>>();

  async function endInTime({ inOrder, over }: Queue<T>): Promise<void> {
    for (let ended = 0; !over.signal.aborted;) {
      const [next] = inOrder;
      if (next === undefined) return;
      const leftMs = next.endsAtMs - clock.monotonicMs();
      if (leftMs > 0) {
        await clock.sleep(leftMs, over.signal);
        continue;
      }
      remove(next);
      onEnd(next);
      if ((ended += 1) % endsInTurn === 0) await new Promise(setImmediate);
    }
  }

  function remove(timed: T): void {
    const queue = queues.get(timed.withinMs);
    if (queue === undefined || !queue.inOrder.delete(timed) || queue.inOrder.size > 0) return;
    queues.delete(timed.withinMs);
    queue.over.abort();
  }

  return {
    add(timed) {
      timed.endsAtMs = clock.monotonicMs() + timed.withinMs;
      const queue = queues.get(timed.withinMs);
      if (queue !== undefined) return void queue.inOrder.add(timed);
      const begun: Queue<T> = { inOrder: new Set([timed]), over: new AbortController() };
      queues.set(timed.withinMs, begun);
      void endInTime(begun);
    },
    remove,
  };
}
