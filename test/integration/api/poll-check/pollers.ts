/**
 * Clients that ask for what has changed, each in its way, at one process of the API or another, until they have come to the end:
 *
 *   by time        from the last `updated_at` that they have, and then by the links to its end
 *   by time alone  from the last `updated_at` that they have, each time: a page of two brings them one farther
 *   by cursor      from the last cursor
 *   held           the same, with `wait`
 */
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom, seedOf } from '../../../support/seeded-random.ts';
import { authorization } from '../../../unit/api/build-test-app.ts';

export const pollerKinds = ['by time', 'by time alone', 'by cursor', 'held'] as const;
type PollerKind = (typeof pollerKinds)[number];

export interface Poller {
  kind: PollerKind;
  tenant: string;
  limit: number;
}

export interface Seen {
  /** The last state seen of each event, by its `updated_at`. */
  byId: Map<string, string>;
  requests: number;
  /** Items that came twice though the position was behind them, or after one that is later. */
  outOfOrder: number;
  /** It came no farther before it was at the end. */
  isStuck: boolean;
}

export interface PollerOptions {
  urls: readonly string[];
  seed: number;
  /** The last change there is, once no more are made; undefined until then. */
  endOf(tenant: string): string | undefined;
}

interface EventJson {
  id: string;
  updated_at: string;
}

const betweenPollsMs = 20;
/** A poller that is not at the end and has not moved for so long is stuck, not slow. */
const noProgressMs = 60_000;
/** A poller that is held when the last change has been seen waits for as long. */
const heldSeconds = 2;

/** @throws Error for any answer but events or an empty one */
export async function poll({ kind, tenant, limit }: Poller, { urls, seed, endOf }: PollerOptions): Promise<Seen> {
  const random = seededRandom(seedOf(seed, `${kind} ${tenant} ${limit}`));
  const seen: Seen = { byId: new Map(), requests: 0, outOfOrder: 0, isStuck: false };
  const query = new URLSearchParams({ limit: String(limit) });
  if (kind === 'held') query.set('wait', String(heldSeconds));
  let last = '';
  /** The path of the link to the next page, where one is followed. */
  let next: string | undefined;
  let progressAtMs = performance.now();
  const isAtEnd = (): boolean => {
    const end = endOf(tenant);
    return end !== undefined && last >= end;
  };
  while (!isAtEnd()) {
    if (endOf(tenant) !== undefined && performance.now() > progressAtMs + noProgressMs)
      return { ...seen, isStuck: true };
    const url = urls[Math.floor(random() * urls.length)] ?? '';
    const answer = await fetch(`${url}${next ?? `/v1/events?${query.toString()}`}`, {
      headers: { authorization, 'hookline-tenant': tenant },
    });
    seen.requests += 1;
    const text = await answer.text();
    if (answer.status !== 200 && answer.status !== 204) throw new Error(`GET /events: ${answer.status} ${text}`);
    const items = text === '' ? [] : (JSON.parse(text) as EventJson[]);
    for (const { id, updated_at } of items) {
      const isKnown = updated_at === last && next === undefined && query.get('updated_at_gte') === last;
      if (updated_at <= last && !isKnown) seen.outOfOrder += 1;
      if (updated_at > last) progressAtMs = performance.now();
      seen.byId.set(id, updated_at);
      last = updated_at;
    }
    const [, link] = /^<[^>]*?(\/v1\/[^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
    next = kind === 'by time' ? link : undefined;
    if (kind === 'by cursor' || kind === 'held') query.set('cursor', answer.headers.get('hookline-cursor') ?? '');
    else if (last !== '') query.set('updated_at_gte', last);
    if (kind !== 'held' && link === undefined) await delay(betweenPollsMs);
  }
  return seen;
}
