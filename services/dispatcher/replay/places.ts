/** Places for work, so many at once; waiting callers get them in the order of asking. */
export interface Places {
  /** Runs the work in a place; does nothing if the signal aborts before there is one. */
  use<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | 'aborted'>;
}

export function createPlaces(count: number): Places {
  const waiting: (() => void)[] = [];
  let free = count;

  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };

  async function enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (free > 0) {
      free -= 1;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const grant = (): void => resolve(true);
    const giveUp = (): void => {
      const at = waiting.indexOf(grant);
      if (at >= 0) waiting.splice(at, 1);
      resolve(false);
    };
    waiting.push(grant);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  return {
    async use(work, signal) {
      if (!(await enter(signal))) return 'aborted';
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
