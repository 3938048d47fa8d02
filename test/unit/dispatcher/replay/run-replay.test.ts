import type { ItemEnd, LeasedReplay, ReplayItem } from '#lib/replay-store';
import { type CrashPointName, createManualClock, createWaitOut, silentLogger } from '#lib/runtime';
import { createPace, type Pace } from '../../../../services/dispatcher/replay/pace.ts';
import { createPlaces } from '../../../../services/dispatcher/replay/places.ts';
import { createRunReplay } from '../../../../services/dispatcher/replay/run-replay.ts';

type Work = Parameters<typeof createRunReplay>[0]['work'];
type Status = 'waiting' | 'sending' | 'replayed' | 'failed' | 'cancelled';

const never = new AbortController().signal;
const replay: LeasedReplay = {
  tenant: 't',
  id: 'rpl_1',
  createdAt: 0,
  ratePerSecond: null,
  operation: null,
  isTest: false,
  owner: 'me',
};
const clock = createManualClock();
const waitOut = createWaitOut({ clock, log: silentLogger });
const pace: Pace = { size: 3, waitMs: () => 0, turn: async () => undefined, unused: () => undefined };

/** The items of one replay, as libs/replay-store keeps them. Its lease, too, is in one hand. */
function createItems(count: number) {
  const items = new Map<number, Status>(Array.from({ length: count }, (_, index) => [index + 1, 'waiting']));
  const of = (...wanted: Status[]): number[] => [...items].flatMap(([item, is]) => (wanted.includes(is) ? item : []));
  let owner = replay.owner;
  const work: Work = {
    async take(leased, max) {
      if (leased.owner !== owner) return 'lost';
      const taken = of('waiting', 'sending').slice(0, max);
      for (const item of taken) items.set(item, 'sending');
      if (taken.length === 0) return { ended: of('cancelled').length > 0 ? 'cancelled' : 'completed' };
      return { items: taken.map((item): ReplayItem => ({ item, kind: 'missing', generation: 1 })) };
    },
    async settle(leased, ends) {
      if (leased.owner !== owner) return false;
      for (const { item, reason } of ends) items.set(item, reason === null ? 'replayed' : 'failed');
      return true;
    },
  };
  return {
    work,
    of,
    cancel: () => void of('waiting').forEach((item) => items.set(item, 'cancelled')),
    takeOver: (by: string) => void (owner = by),
  };
}

type Items = ReturnType<typeof createItems>;

interface Given {
  work?: Work;
  onSend?(): void;
  dieAt?: CrashPointName;
  isTurnOver?(published: number): boolean;
}

function createRun(
  items: Items,
  { work = items.work, onSend = () => undefined, dieAt, isTurnOver = () => false }: Given = {},
) {
  const published: number[] = [];
  const run = createRunReplay({
    work,
    places: createPlaces(1),
    waitOut,
    clock,
    send: async (_replay, taken) => {
      published.push(...taken.map(({ item }) => item));
      onSend();
      return taken.map(({ item }): ItemEnd => ({ item, reason: item % 5 === 0 ? 'payload_expired' : null }));
    },
    crashPoints: {
      reach(point) {
        if (point === dieAt) throw new Error(point);
      },
    },
    onSettled: () => undefined,
  });
  const limits = { stopping: never, givenUp: never, isTurnOver: () => isTurnOver(published.length) };
  const left = (leased = replay, at = pace) => run(leased, at, limits);
  return { published, left, run: async (leased = replay) => (await left(leased)).how };
}

test('every item is sent once, and settled as it was sent', async () => {
  const items = createItems(10);
  const { run, published } = createRun(items);
  expect(await run()).toBe('completed');
  expect(published).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(items.of('failed')).toEqual([5, 10]);
  expect(items.of('replayed')).toHaveLength(8);
});

test.each<[CrashPointName, number]>([
  ['replay.after-claim', 0],
  ['replay.after-publish', 3],
])('after a death at %s its successor sends the same items first, and nothing else twice', async (dieAt, repeated) => {
  const items = createItems(10);
  const dying = createRun(items, { dieAt });
  await expect(dying.run()).rejects.toThrow(dieAt);
  expect(items.of('sending')).toEqual([1, 2, 3]);
  items.takeOver('successor');
  const successor = createRun(items);
  expect(await successor.run({ ...replay, owner: 'successor' })).toBe('completed');
  expect(successor.published).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(dying.published).toHaveLength(repeated);
});

test('what is still to be chosen is waited for, and the turn that had nothing to send is not used up', async () => {
  const items = createItems(3);
  let unchosen = 2;
  const work: Work = {
    ...items.work,
    take: async (...asked) => ((unchosen -= 1) >= 0 ? { items: [], isUnchosen: true } : items.work.take(...asked)),
  };
  const { left, published } = createRun(items, { work });
  const slow = createPace(0.01, 3, clock);
  const running = left(replay, slow);
  // Two looks a fifth of a second apart, then the one item that the rate lets go.
  for (let look = 0; look < 3; look += 1) await clock.advance(200);
  expect(published).toHaveLength(1);
  // The next turn is far away: whoever comes then continues.
  expect(await running).toEqual({ how: 'waits', againInMs: expect.any(Number) as number });
});

test('who has lost the lease while it sent settles nothing and sends no more', async () => {
  const items = createItems(10);
  const { run, published } = createRun(items, { onSend: () => items.takeOver('another') });
  expect(await run()).toBe('lost');
  expect(published).toEqual([1, 2, 3]);
  expect(items.of('sending')).toEqual([1, 2, 3]);
});

/** Items that were both sent and given back: an operator would send them again. */
const sentAndGivenBack = (items: Items, published: readonly number[]): number[] =>
  items.of('cancelled').filter((item) => published.includes(item));

test('what is cancelled while it is sent is not given back', async () => {
  const items = createItems(10);
  const { run, published } = createRun(items, { onSend: items.cancel });
  expect(await run()).toBe('cancelled');
  expect(published).toEqual([1, 2, 3]);
  expect(items.of('cancelled')).toEqual([4, 5, 6, 7, 8, 9, 10]);
  expect(sentAndGivenBack(items, published)).toEqual([]);
});

test('mutant: published before it is claimed, it is sent and given back', async () => {
  const items = createItems(10);
  let seen: ReplayItem[] = [];
  const publishFirst: Work = {
    // Looks, and claims when it is sent.
    async take(_leased, max) {
      seen = items
        .of('waiting')
        .slice(0, max)
        .map((item): ReplayItem => ({ item, kind: 'missing', generation: 1 }));
      return seen.length === 0 ? { ended: 'cancelled' } : { items: seen };
    },
    settle: async (leased, ends) => {
      const waiting = items.of('waiting');
      return items.work.settle(
        leased,
        ends.filter(({ item }) => waiting.includes(item)),
      );
    },
  };
  const { run, published } = createRun(items, { work: publishFirst, onSend: items.cancel });
  await run();
  expect(sentAndGivenBack(items, published)).toEqual([1, 2, 3]);
});

test('one that waits for its rate for long is left until then, one that waits briefly is kept', async () => {
  const clock = createManualClock();
  const slow = createRun(createItems(3));
  expect(await slow.left(replay, createPace(0.01, 25, clock))).toEqual({ how: 'waits', againInMs: 100_000 });
  expect(slow.published).toEqual([1]);

  const quick = createRun(createItems(3));
  const running = quick.left(replay, createPace(1, 25, clock));
  await clock.advance(10_000);
  expect(await running).toEqual({ how: 'completed', againInMs: 0 });
});

test('one that has had its share while others wait is left after the turn that it has begun', async () => {
  const items = createItems(10);
  const { left, published } = createRun(items, { isTurnOver: (count) => count >= 6 });
  expect(await left()).toEqual({ how: 'turn_over', againInMs: 0 });
  expect(published).toEqual([1, 2, 3, 4, 5, 6]);
  expect(items.of('sending')).toEqual([]);
});
