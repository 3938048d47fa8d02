import type { WaitOut } from '#lib/backoff';
import type { CrashPoints } from '#lib/crash-points';
import type { ItemEnd, LeasedReplay, ReplayWork } from '#lib/replay-store';
import type { Pace } from './pace.ts';
import type { SendItems } from './send-items.ts';

interface Deps {
  work: Pick<ReplayWork, 'take' | 'settle'>;
  send: SendItems;
  waitOut: WaitOut;
  crashPoints: CrashPoints;
  onSettled(ends: readonly ItemEnd[]): void;
}

interface Signals {
  /** No more is begun. */
  stopping: AbortSignal;
  /** What was begun is not waited for. */
  givenUp: AbortSignal;
}

export type RunReplay = (replay: LeasedReplay, pace: Pace, signals: Signals) => Promise<string>;

/**
 * Works a replay off, turn by turn, in the order that libs/replay-store wants: claimed, published, settled. Resolves with how it left it:
 * ended, lost to another process, or stopped.
 *
 * @throws AppError stopped
 */
export function createRunReplay({ work, send, waitOut, crashPoints, onSettled }: Deps): RunReplay {
  return async (replay, pace, { stopping, givenUp }) => {
    for (;;) {
      await pace.turn(stopping);
      if (stopping.aborted) return 'stopped';
      const taken = await waitOut(() => work.take(replay, pace.size), stopping);
      if (taken === 'lost') return 'lost';
      if ('ended' in taken) return taken.ended;
      crashPoints.reach('replay.after-claim');
      const ends = await send(replay, taken.items, givenUp);
      crashPoints.reach('replay.after-publish');
      if (!(await waitOut(() => work.settle(replay, ends), givenUp))) return 'lost';
      onSettled(ends);
    }
  };
}
