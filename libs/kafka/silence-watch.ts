import type { Clock } from '#lib/clock';

/** Notices a consumer that neither works nor fails. */
export interface SilenceWatch {
  /** It has joined, an answer to a heartbeat has come, or it has crashed. */
  heard(): void;
  /** Resolves when the signal aborts, or after `onSilence`, which is called once. */
  watch(signal: AbortSignal): Promise<void>;
}

const looks = 20;

/**
 * kafkajs takes its steps one after the other, and one that never ends is not noticed by any other: the consumer stands still then, and
 * says nothing, for ever. Counted in looks rather than by the time, so that a process that was paused does not take its pause for silence.
 */
export function createSilenceWatch(clock: Pick<Clock, 'sleep'>, limitMs: number, onSilence: () => void): SilenceWatch {
  let silentLooks = 0;
  return {
    heard() {
      silentLooks = 0;
    },
    async watch(signal) {
      while (silentLooks < looks) {
        await clock.sleep(limitMs / looks, signal);
        if (signal.aborted) return;
        silentLooks += 1;
      }
      onSilence();
    },
  };
}
