/**
 * At most three requests are held for one browser, however many tabs it has: over HTTP/1.1 it has six connections to a host, and the rest of
 * the pages need some. A tab that finds all three taken asks without waiting.
 */
const names = ['hookline-poll-1', 'hookline-poll-2', 'hookline-poll-3'];

/** @param ask gets whether its request may be held */
export async function askInTurn<T>(ask: (mayWait: boolean) => Promise<T>): Promise<T> {
  // Browsers have locks in secure contexts alone.
  if (!('locks' in navigator)) return ask(false);
  for (const name of names) {
    const answered = await navigator.locks.request(name, { ifAvailable: true }, async (lock) =>
      lock === null ? undefined : { answer: await ask(true) },
    );
    if (answered !== undefined) return answered.answer;
  }
  return ask(false);
}

const firstBackOffMs = 1_000;
const longestBackOffMs = 15_000;

/** After the n-th failure in a row: full jitter, on top of what the server asks for. */
export const backOffMs = (failures: number, retryAfter: string | null): number =>
  (Number(retryAfter) || 0) * 1_000 + Math.random() * Math.min(longestBackOffMs, firstBackOffMs * 2 ** failures);
