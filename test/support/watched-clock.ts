import { type Clock, systemClock } from '#lib/runtime';

/** The system's clock on which limits and sleeps pass so much faster, and that knows how many are still waited for. */
export function createWatchedClock(speed: number): Clock & { readonly waiting: number } {
  let waiting = 0;
  return {
    ...systemClock,
    get waiting() {
      return waiting;
    },
    async sleep(ms, signal) {
      waiting += 1;
      await systemClock.sleep(ms / speed, signal);
      waiting -= 1;
    },
    async sleepUntilNext(everyMs, signal) {
      waiting += 1;
      await systemClock.sleepUntilNext(everyMs / speed, signal);
      waiting -= 1;
    },
    startLimit(ms, onDue) {
      let isRunning = true;
      const end = (): void => {
        waiting -= Number(isRunning);
        isRunning = false;
      };
      waiting += 1;
      const stop = systemClock.startLimit(ms / speed, () => {
        end();
        onDue();
      });
      return () => {
        end();
        stop();
      };
    },
  };
}
