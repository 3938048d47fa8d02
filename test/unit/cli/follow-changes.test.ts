import fc from 'fast-check';
import type { Client } from '#client';
import type { Event } from '#lib/api-contract';
import { createManualClock, formatMicros, parseRfc3339 } from '#lib/runtime';
import { followChanges } from '../../../services/cli/commands/tail-events.ts';

type Changed = Pick<Event, 'id' | 'updated_at'>;

const start = Date.UTC(2026, 0, 1) * 1_000;
class Ended extends Error {}

/**
 * Events like those of the API: each once, at its last change. Others change them between two answers; a held request is answered with
 * nothing at its time limit. After enough requests, it ends the test.
 */
function createEvents({ pageSize = 10, happenings = [] as (readonly number[])[] } = {}) {
  const clock = createManualClock();
  const changedAt = new Map<string, number>();
  const left = [...happenings];
  const asked: URLSearchParams[] = [];
  let now = start;
  const change = (id: number): void => void changedAt.set(String(id), (now += 1));
  const found = (query: URLSearchParams): Changed[] => {
    const from = Number(query.get('cursor') ?? parseRfc3339(query.get('updated_at_gte') ?? ''));
    const after = [...changedAt].filter(([, at]) => at >= from).sort(([, a], [, b]) => a - b);
    return after.slice(0, pageSize).map(([id, at]) => ({ id, updated_at: formatMicros(at) }));
  };
  const page = async (_name: string, { query }: { query: URLSearchParams }) => {
    asked.push(query);
    let items = found(query);
    if (items.length === 0 && query.has('wait')) {
      if (left.length === 0) throw new Ended();
      left.shift()?.forEach(change);
      items = found(query);
      if (items.length === 0) await clock.advance(Number(query.get('wait')) * 1_000);
    }
    const last = items.at(-1);
    const cursor = String((last ? (parseRfc3339(last.updated_at) ?? 0) : now) + 1);
    return { items, next: undefined, prev: undefined, header: () => cursor };
  };
  return {
    clock,
    asked,
    change,
    api: { page: page as unknown as Client['page'] },
    all: () => [...changedAt].map(([id, at]): Changed => ({ id, updated_at: formatMicros(at) })),
  };
}

async function follow(
  { api, clock }: ReturnType<typeof createEvents>,
  { since, query = {} }: { since?: string; query?: Record<string, string> } = {},
): Promise<Changed[]> {
  const seen: Changed[] = [];
  try {
    for await (const event of followChanges(api, { query, since, clock })) seen.push(event);
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
  }
  return seen;
}

test('no change is seen twice, and the last one of every event is seen, however changes and looks fall', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.nat(5), { maxLength: 8 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      async (happenings, pageSize) => {
        const events = createEvents({ pageSize, happenings });
        const seen = await follow(events, { since: formatMicros(start) });
        const times = seen.map(({ updated_at: at }) => at);
        expect(times).toEqual([...new Set(times)].sort());
        expect(seen).toEqual(expect.arrayContaining(events.all()));
      },
    ),
    { numRuns: 500 },
  );
});

test('without a time it begins behind all that there is', async () => {
  const events = createEvents({ happenings: [[2]] });
  events.change(1);
  expect((await follow(events)).map(({ id }) => id)).toEqual(['2']);
});

test('each request asks for what is chosen alone, from the cursor of the last answer on, and may be held', async () => {
  const events = createEvents({ happenings: [[1], [], [2]] });
  await follow(events, { query: { type: 'order.paid' }, since: '2026-01-01T00:00:00Z' });
  expect(events.asked.map((query) => query.get('type'))).toEqual(Array.from({ length: 5 }, () => 'order.paid'));
  const [first, ...others] = events.asked.map((query) => Object.fromEntries(query));
  expect(first).toEqual({ type: 'order.paid', updated_at_gte: '2026-01-01T00:00:00Z', limit: '1000' });
  expect(others.map(({ cursor, wait }) => [Number(cursor) - start, wait])).toEqual([
    [1, '20'],
    [2, '20'],
    [2, '20'],
    [3, '20'],
  ]);
});

test('an answer of nothing that was not held for a second is not asked for again before one is over', async () => {
  const clock = createManualClock();
  const askedAtMs: number[] = [];
  const page = async () => {
    askedAtMs.push(clock.monotonicMs());
    if (askedAtMs.length > 4) throw new Ended();
    return { items: [], next: undefined, prev: undefined, header: () => 'c' };
  };
  const followed = follow({ ...createEvents(), clock, api: { page: page } });
  for (let n = 0; n < 50; n += 1) await clock.advance(100);
  expect(await followed).toEqual([]);
  const gapsMs = askedAtMs.slice(1).map((atMs, n) => atMs - (askedAtMs[n] ?? 0));
  expect(gapsMs).toEqual([0, 1_000, 1_000, 1_000]);
});
