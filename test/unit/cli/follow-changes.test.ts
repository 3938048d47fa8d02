import fc from 'fast-check';
import { type Clock, formatMicros, parseRfc3339, systemClock } from '#lib/clock';
import type { ApiClient } from '../../../services/cli/api-client.ts';
import { followChanges } from '../../../services/cli/commands/events/follow-changes.ts';

interface Event {
  id: number;
  updated_at: string;
}

const start = Date.UTC(2026, 0, 1) * 1_000;

/** Events as the API has them: each once, where its last change has put it; in pages, between which others change them. */
function createEvents(pageSize: number, onAsked: () => void = () => undefined) {
  const changedAt = new Map<number, number>();
  let now = start;
  const asked: string[] = [];
  const page = async (path: string) => {
    asked.push(path);
    const { searchParams: query } = new URL(path, 'http://api.test');
    const from = parseRfc3339(query.get('updated_at_gte') ?? '') ?? 0;
    const all = [...changedAt].filter(([, at]) => at >= from).sort(([, a], [, b]) => a - b);
    const items = all.slice(0, pageSize).map(([id, at]): Event => ({ id, updated_at: formatMicros(at) }));
    const [, lastAt = 0] = all[pageSize - 1] ?? [];
    query.set('updated_at_gte', formatMicros(lastAt + 1));
    const next = all.length > pageSize ? `/events?${query.toString()}` : undefined;
    onAsked();
    return { items, next, dateMs: Math.floor(now / 1_000_000) * 1_000 };
  };
  return {
    api: { page: page as unknown as ApiClient['page'] },
    asked,
    change(id: number): void {
      now += 1;
      changedAt.set(id, now);
    },
    /** As they are now. */
    all: () => [...changedAt].map(([id, at]): Event => ({ id, updated_at: formatMicros(at) })),
  };
}

class Ended extends Error {}

/** Follows until a sleep says that it is enough. */
async function follow(
  { api }: ReturnType<typeof createEvents>,
  given: { since?: string; query?: Record<string, string>; isEnough: () => boolean },
): Promise<Event[]> {
  const seen: Event[] = [];
  const clock: Clock = {
    ...systemClock,
    sleep: async () => {
      if (given.isEnough()) throw new Ended();
    },
  };
  const options = { query: given.query ?? {}, since: given.since, clock, intervalMs: 1_000 };
  try {
    for await (const event of followChanges<Event>(api, options)) seen.push(event);
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
  }
  return seen;
}

test('no change is seen twice, and the last one of every event is seen, however changes and looks fall', async () => {
  await fc.assert(
    fc.asyncProperty(
      // What changes at each page and at each sleep, one after the other.
      fc.array(fc.array(fc.nat(5), { maxLength: 8 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      async (rounds, pageSize) => {
        const left = [...rounds];
        let isQuiet = true;
        const happen = (): void => {
          const changes = left.shift() ?? [];
          for (const id of changes) events.change(id);
          if (changes.length > 0) isQuiet = false;
        };
        const events = createEvents(pageSize, happen);
        const isEnough = (): boolean => {
          const wasQuiet = isQuiet && left.length === 0;
          isQuiet = true;
          happen();
          return wasQuiet;
        };
        const seen = await follow(events, { since: formatMicros(start), isEnough });
        const times = seen.map(({ updated_at: at }) => at);
        expect(times).toEqual([...new Set(times)].sort());
        expect(seen).toEqual(expect.arrayContaining(events.all()));
      },
    ),
    { numRuns: 500 },
  );
});

test('without a time it begins at now, as the API’s clock has it, and asks for what is chosen alone', async () => {
  const events = createEvents(10);
  events.change(1);
  const seen = await follow(events, { query: { type: 'order.paid' }, isEnough: () => true });
  expect(seen).toHaveLength(1);
  const [dating = '', first = ''] = events.asked;
  expect(dating).toBe('/events?updated_at_gte=9999-12-31T23:59:59Z');
  expect(first).toBe('/events?type=order.paid&updated_at_gte=2026-01-01T00%3A00%3A00.000000Z&limit=1000');
});
