import { AppError, toAppError } from '../app-error.ts';
import type { Clock } from '../clock/clock.ts';
import { fullJitterMs, type Random } from './jitter.ts';

interface Options {
  clock: Clock;
  signal: AbortSignal;
  /** Called for every failure that is waited out. */
  onAway?: (error: AppError) => void;
  random?: Random;
}

const policy = { baseMs: 100, capMs: 2_000 };

/**
 * Runs `work` until it doesn't fail because of an unavailable dependency: an outage pauses and uses up no tries. Other failures are thrown
 * unchanged.
 *
 * @throws AppError stopped when the signal aborts; whatever `work` throws that is not retryable
 */
export async function untilAvailable<T>(work: () => Promise<T>, options: Options): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    if (options.signal.aborted)
      throw new AppError('stopped', 'given up: no longer wanted', { cause: options.signal.reason });
    try {
      return await work();
    } catch (thrown) {
      const error = toAppError(thrown);
      if (!error.retryable) throw error;
      options.onAway?.(error);
      // Waits at least the base, so that a dependency that refuses at once is not asked without a pause.
      const waitMs = policy.baseMs + fullJitterMs(policy, attempt, options.random ?? Math.random);
      await options.clock.sleep(waitMs, options.signal);
    }
  }
}
