/**
 * Clients that follow `GET /v1/events` as documented: by time or by cursor, held or not. Each asks one process of the API or the other, and
 * repeats the request if it gets no answer.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { PollerHistory } from '../checker/history.ts';

interface PollerKind {
  name: string;
  by: 'time' | 'cursor';
  limit: number;
  /** 0: it is not held. */
  waitSeconds: number;
  /** Pause between two requests that are not held, if there was nothing more. */
  pauseMs: number;
}

const kinds: readonly PollerKind[] = [
  { name: 'by time', by: 'time', limit: 100, waitSeconds: 0, pauseMs: 250 },
  { name: 'by time, often', by: 'time', limit: 1_000, waitSeconds: 0, pauseMs: 50 },
  { name: 'by cursor', by: 'cursor', limit: 100, waitSeconds: 0, pauseMs: 250 },
  { name: 'held', by: 'cursor', limit: 1_000, waitSeconds: 20, pauseMs: 0 },
  { name: 'held for a moment', by: 'cursor', limit: 100, waitSeconds: 1, pauseMs: 0 },
];

export interface Pollers {
  readonly histories: readonly PollerHistory[];
  /** Resolves when each has come to this time, or comes no farther; then they are stopped. */
  follow(lastUpdatedAt: string): Promise<void>;
  stop(): Promise<void>;
}

interface Options {
  /** URLs of the API's processes. */
  urls: readonly string[];
  adminKey: string;
  random: () => number;
}

const answerTimeoutMs = 10_000;
const afterFailureMs = 200;
/** A poller that is not at the end and has not moved for so long is stuck. */
const noProgressMs = 30_000;

interface EventJson {
  id: string;
  updated_at: string;
}

export function startPollers({ urls, adminKey, random }: Options): Pollers {
  const stopping = new AbortController();
  const pollers = kinds.map((kind) => {
    const history: MutableHistory = { name: kind.name, answers: [], items: [], failed: 0, position: '' };
    return { history, ended: poll(kind, history) };
  });

  async function poll(kind: PollerKind, history: MutableHistory): Promise<void> {
    const query = new URLSearchParams({
      limit: String(kind.limit),
      ...(kind.waitSeconds > 0 && { wait: String(kind.waitSeconds) }),
    });
    let next: string | undefined;
    while (!stopping.signal.aborted) {
      const url = urls[Math.floor(random() * urls.length)] ?? '';
      const page = await ask(`${url}${next ?? `/v1/events?${query.toString()}`}`, kind.waitSeconds).catch(
        () => undefined,
      );
      if (page === undefined) {
        history.failed += 1;
        await pause(afterFailureMs);
        continue;
      }
      const isFirst = next === undefined;
      page.items.forEach(({ id, updated_at }, index) => {
        // A poller that asks with the exact time of the last item is given that item again.
        if (kind.by === 'time' && isFirst && index === 0 && updated_at === history.position) return;
        history.items.push({ eventId: id, updatedAt: updated_at });
      });
      const last = page.items.at(-1)?.updated_at;
      if (last !== undefined) history.position = last;
      history.answers.push({ endedAtMs: page.endedAtMs, items: history.items.length, position: history.position });
      next = kind.by === 'time' ? page.next : undefined;
      if (kind.by === 'cursor') query.set('cursor', page.cursor);
      else if (history.position !== '') query.set('updated_at_gte', history.position);
      if (next === undefined && page.items.length < kind.limit) await pause(kind.pauseMs);
    }
  }

  async function ask(url: string, waitSeconds: number) {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(answerTimeoutMs + waitSeconds * 1_000)]);
    const answer = await fetch(url, { headers: { authorization: `Bearer ${adminKey}` }, signal });
    const text = await answer.text();
    if (answer.status !== 200 && answer.status !== 204) throw new Error(`${answer.status} ${text}`);
    const [, next] = /^<[^>]*(\/v1\/[^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
    return {
      endedAtMs: Date.now(),
      items: text === '' ? [] : (JSON.parse(text) as EventJson[]),
      cursor: answer.headers.get('hookline-cursor') ?? '',
      next,
    };
  }

  const pause = async (ms: number): Promise<void> =>
    void (await delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined));
  const stop = async (): Promise<void> => {
    stopping.abort();
    await Promise.all(pollers.map(({ ended }) => ended));
  };
  return {
    histories: pollers.map(({ history }) => history),
    async follow(lastUpdatedAt) {
      const progress = (): string => pollers.map(({ history }) => history.position).join();
      let seen = progress();
      let progressAtMs = performance.now();
      while (pollers.some(({ history }) => history.position < lastUpdatedAt)) {
        if (performance.now() - progressAtMs > noProgressMs) break;
        await delay(100);
        if (progress() === seen) continue;
        seen = progress();
        progressAtMs = performance.now();
      }
      await stop();
    },
    stop,
  };
}

type MutableHistory = PollerHistory & {
  items: PollerHistory['items'][number][];
  answers: PollerHistory['answers'][number][];
  failed: number;
  position: string;
};
