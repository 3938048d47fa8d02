import { endpointSettlingMs } from '#lib/contract';
import type { Context } from '../context.ts';

/**
 * Counts down to when a change counts, on a terminal alone: a script waits for nothing, and reads nothing of it.
 *
 * @param effectiveAt by the clock of the API; one that differs here makes the wait no longer than a change takes
 */
export async function countDown(
  { process, clock }: Pick<Context, 'process' | 'clock'>,
  effectiveAt: string,
): Promise<void> {
  const { stderr } = process;
  const leftMs = Math.min(Date.parse(effectiveAt) - clock.nowMs(), endpointSettlingMs);
  if (stderr.isTTY !== true || !(leftMs > 0)) return;
  const endsAtMs = clock.monotonicMs() + leftMs;
  for (let left = leftMs; left > 0; left = endsAtMs - clock.monotonicMs()) {
    stderr.write(`\rcounts in ${Math.ceil(left / 1_000)} s `);
    await clock.sleep(left - 1_000 * (Math.ceil(left / 1_000) - 1));
  }
  stderr.write('\rcounts now      \n');
}
