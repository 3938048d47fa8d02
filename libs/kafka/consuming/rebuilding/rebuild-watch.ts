import type { Clock } from '#lib/runtime';

/**
 * Notices a consumer that is in doubt:
 *
 *   listening ──silent for its limit, or doubted──► asking ──others are answered──► in doubt; then listening again
 *       ▲                                              │
 *       └────────── others are answered again ◄── away ┘ nobody is answered
 *
 * kafkajs takes its steps one after the other, and one that never ends is not noticed by any other: such a consumer stands still, and says
 * nothing. Silence counts only while the coordinator answers others, so an outage of Kafka puts nobody in doubt. It is counted in looks rather
 * than by the time, so that a process that was paused does not take its pause for silence.
 */
export interface RebuildWatch {
  /** The coordinator has answered a heartbeat, or a join. */
  heard(): void;
  /** There is a reason to doubt the consumer, though it may be heard. */
  doubt(reason: DoubtReason): void;
  /** Resolves when the signal aborts, or once `inDoubt` or `keepWaiting` has said that it is over. */
  watch(signal: AbortSignal): Promise<void>;
}

export type DoubtReason = 'silent' | 'never_joined' | 'commit_unanswered';

export interface RebuildWatchOptions {
  clock: Pick<Clock, 'sleep' | 'monotonicMs'>;
  /** Asked anew for each time of listening. */
  silenceMs(): number;
  /** Whether the coordinator answers others; within its own limit. */
  answersOthers(): Promise<boolean>;
  /** @returns whether to listen on: to what was built instead */
  inDoubt(reason: DoubtReason): Promise<boolean>;
  /** Nobody has been answered for so long. @returns whether to wait on */
  keepWaiting(awayMs: number): boolean;
}

const looks = 20;

export function createRebuildWatch(options: RebuildWatchOptions): RebuildWatch {
  const { clock } = options;
  let silentLooks = 0;
  let isKnown = false;
  let doubted: DoubtReason | undefined;

  async function listen(signal: AbortSignal): Promise<void> {
    const lookMs = options.silenceMs() / looks;
    while (silentLooks < looks && doubted === undefined && !signal.aborted) {
      await clock.sleep(lookMs, signal);
      silentLooks += 1;
    }
  }

  /** @returns whether to listen on */
  async function waitWhileAway(signal: AbortSignal): Promise<boolean> {
    const sinceMs = clock.monotonicMs();
    const lookMs = options.silenceMs() / looks;
    while (!signal.aborted && silentLooks > 0 && !(await options.answersOthers())) {
      if (!options.keepWaiting(clock.monotonicMs() - sinceMs)) return false;
      await clock.sleep(lookMs, signal);
    }
    return true;
  }

  return {
    heard() {
      silentLooks = 0;
      isKnown = true;
    },
    doubt(reason) {
      doubted ??= reason;
    },
    async watch(signal) {
      for (;;) {
        await listen(signal);
        if (signal.aborted) return;
        const reason = doubted ?? (isKnown ? 'silent' : 'never_joined');
        const isAnswering = await options.answersOthers();
        if (signal.aborted) return;
        const isHeard = silentLooks === 0 && doubted === undefined;
        if (!isHeard) {
          if (isAnswering) isKnown = false;
          const goesOn = isAnswering ? await options.inDoubt(reason) : await waitWhileAway(signal);
          if (!goesOn) return;
        }
        silentLooks = 0;
        doubted = undefined;
      }
    },
  };
}
