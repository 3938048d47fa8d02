/**
 * Keeps callers from waiting a whole time limit each for a server that does not answer.
 *
 * | state   | a call                         | left by                                            |
 * |---------|--------------------------------|----------------------------------------------------|
 * | closed  | goes through                   | a failure → open                                   |
 * | open    | is refused at once             | the first call after the cool-down → probing       |
 * | probing | is refused while the probe runs | the probe's success → closed, its failure → open  |
 */
import { AppError, type Clock } from '#lib/runtime';

interface Options {
  clock: Clock;
  coolDownMs: number;
  onOpen(cause: unknown): void;
  onClose(): void;
  /** A call is not let through. */
  onRefusal(): void;
}

export interface Breaker {
  /** @throws what `work` throws; AppError redis_unavailable if the breaker refuses the call */
  run<T>(work: () => Promise<T>): Promise<T>;
}

type State = { kind: 'closed' } | { kind: 'open'; untilMs: number } | { kind: 'probing' };

export function createBreaker({ clock, coolDownMs, onOpen, onClose, onRefusal }: Options): Breaker {
  let state: State = { kind: 'closed' };

  const mayPass = (): boolean => {
    if (state.kind === 'closed') return true;
    if (state.kind === 'probing' || clock.monotonicMs() < state.untilMs) return false;
    state = { kind: 'probing' };
    return true;
  };

  return {
    async run(work) {
      if (!mayPass()) {
        onRefusal();
        throw new AppError('redis_unavailable', 'Redis did not answer lately and is not asked again yet');
      }
      try {
        const result = await work();
        // A call that was under way when another one failed says nothing about now: only the probe closes.
        if (state.kind === 'probing') {
          state = { kind: 'closed' };
          onClose();
        }
        return result;
      } catch (error) {
        if (state.kind === 'closed') onOpen(error);
        state = { kind: 'open', untilMs: clock.monotonicMs() + coolDownMs };
        throw error;
      }
    },
  };
}
