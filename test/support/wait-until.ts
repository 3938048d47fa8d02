import { setTimeout as delay } from 'node:timers/promises';

/** Claims nothing: a machine that does other work may take so long for what takes milliseconds on one that does not. */
const patienceMs = 1_000 * Number(process.env.HOOKLINE_TEST_PATIENCE_SECONDS ?? 180);

interface Options {
  /** To be given where the time is claimed. Default: three minutes, which claim nothing. */
  timeoutMs?: number;
  /** Between two looks. Default 50. */
  everyMs?: number;
  /** Added to the failure beside the condition: how far it came. */
  describe?: () => string;
}

/**
 * Looks until there is something to see, and gives it.
 *
 * @param condition in words, for the failure
 * @param look undefined or false: not yet; what it throws ends the wait
 */
export async function waitUntil<T>(
  condition: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs = patienceMs, everyMs = 50, describe = () => '' }: Options = {},
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() >= deadlineMs) throw new Error(`not within ${timeoutMs} ms: ${condition}\n${describe()}`);
    await delay(everyMs);
  }
}

/** `work`, or a failure in words when it takes longer than it may. */
export async function within<T>(what: string, timeoutMs: number, work: Promise<T>): Promise<T> {
  const settled = new AbortController();
  const late = delay(timeoutMs, undefined, { signal: settled.signal }).then(
    () => Promise.reject(new Error(`${what}: not within ${timeoutMs} ms`)),
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    settled.abort();
  }
}
