/** Clients that follow the list of events by its cursor, as the documentation says: one asks every second, the others are held until there is news. */
import { setTimeout as delay } from 'node:timers/promises';

export interface SoakPollers {
  readonly all: readonly { name: string; requests: number; failures: string[]; ended: ReadonlySet<string> }[];
  stop(): Promise<void>;
}

const kinds = [
  { name: 'by cursor, each second', limit: 1_000, waitSeconds: 0, pauseMs: 1_000 },
  { name: 'held, at most 20 s', limit: 100, waitSeconds: 20, pauseMs: 0 },
  { name: 'held, at most 1 s', limit: 1_000, waitSeconds: 1, pauseMs: 0 },
] as const;
const answerTimeoutMs = 10_000;
const afterFailureMs = 500;

export function startPollers({ url, adminKey }: { url: string; adminKey: string }): SoakPollers {
  const stopping = new AbortController();
  const pollers = kinds.map((kind) => {
    const state = { name: kind.name, requests: 0, failures: [] as string[], ended: new Set<string>() };
    return { state, stopped: follow(kind, state) };
  });

  async function follow(
    { limit, waitSeconds, pauseMs }: (typeof kinds)[number],
    state: { requests: number; failures: string[]; ended: Set<string> },
  ): Promise<void> {
    let cursor = '';
    while (!stopping.signal.aborted) {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(waitSeconds > 0 && { wait: String(waitSeconds) }),
        ...(cursor !== '' && { cursor }),
      });
      try {
        const answer = await fetch(`${url}/v1/events?${query.toString()}`, {
          headers: { authorization: `Bearer ${adminKey}` },
          signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(answerTimeoutMs + waitSeconds * 1_000)]),
        });
        const text = await answer.text();
        if (answer.status !== 200 && answer.status !== 204) throw new Error(`${answer.status} ${text}`);
        state.requests += 1;
        cursor = answer.headers.get('hookline-cursor') ?? cursor;
        const items = text === '' ? [] : (JSON.parse(text) as { id: string; status: string }[]);
        for (const { id, status } of items)
          if (status === 'completed' || status === 'dead_lettered') state.ended.add(id);
          else state.ended.delete(id);
        if (items.length < limit) await pause(pauseMs);
      } catch (error) {
        if (stopping.signal.aborted) return;
        state.failures.push(String(error));
        await pause(afterFailureMs);
      }
    }
  }

  const pause = async (ms: number): Promise<void> =>
    void (await delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined));
  return {
    all: pollers.map(({ state }) => state),
    async stop() {
      stopping.abort();
      await Promise.all(pollers.map(({ stopped }) => stopped));
    },
  };
}
