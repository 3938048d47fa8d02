import type { ItemEnd, LeasedReplay, ReplayWork } from '#lib/replay-store';
import type { Clock, CrashPoints, WaitOut } from '#lib/runtime';
import type { Pace } from './pace.ts';
import type { Places } from './places.ts';
import type { SendItems } from './send-items.ts';

interface Deps {
  work: Pick<ReplayWork, 'take' | 'settle'>;
  send: SendItems;
  /** One for each turn that is under way; a replay that waits for its rate has none. */
  places: Places;
  waitOut: WaitOut;
  crashPoints: CrashPoints;
  clock: Pick<Clock, 'sleep'>;
  onSettled(ends: readonly ItemEnd[]): void;
}

interface Limits {
  /** No further turn begins. */
  stopping: AbortSignal;
  /** Turns under way are no longer waited for. */
  givenUp: AbortSignal;
  /** Other replays wait, and this one has had its share. */
  isTurnOver(): boolean;
}

/** How the work stopped: the replay ended, was lost to another process, was stopped, or continues later. */
interface Left {
  how: string;
  /** Its rate has nothing to send before then. */
  againInMs: number;
}

export type RunReplay = (replay: LeasedReplay, pace: Pace, limits: Limits) => Promise<Left>;

/** A longer wait for the next turn releases the replay: a rate below one in this time costs no process anything while it waits. */
const longestHeldWaitMs = 10_000;

/** Until it looks for items that the api has chosen meanwhile: about as long as a page takes. */
const choiceMs = 200;

/**
 * Works a replay off, turn by turn, in the order that libs/replay-store wants: claimed, published, settled.
 *
 * @throws AppError stopped
 */
export function createRunReplay({ work, send, places, waitOut, crashPoints, clock, onSettled }: Deps): RunReplay {
  return async (replay, pace, { stopping, givenUp, isTurnOver }) => {
    const oneTurn = async (): Promise<string | undefined> => {
      const taken = await waitOut(() => work.take(replay, pace.size), stopping);
      if (taken === 'lost') return 'lost';
      if ('ended' in taken) return taken.ended;
      if (taken.items.length === 0) return taken.isUnchosen && 'unchosen';
      crashPoints.reach('replay.after-claim');
      const ends = await send(replay, taken.items, givenUp);
      crashPoints.reach('replay.after-publish');
      if (!(await waitOut(() => work.settle(replay, ends), givenUp))) return 'lost';
      onSettled(ends);
      return undefined;
    };

    for (;;) {
      const waitMs = pace.waitMs();
      if (waitMs > longestHeldWaitMs) return { how: 'waits', againInMs: waitMs };
      await pace.turn(stopping);
      if (stopping.aborted) return { how: 'stopped', againInMs: 0 };
      const how = await places.use(oneTurn, stopping);
      if (how === 'unchosen') {
        pace.unused();
        await clock.sleep(choiceMs, stopping);
      } else if (how !== undefined) return { how: how === 'aborted' ? 'stopped' : how, againInMs: 0 };
      if (isTurnOver()) return { how: 'turn_over', againInMs: pace.waitMs() };
    }
  };
}
