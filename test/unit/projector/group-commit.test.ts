import { setImmediate as turn } from 'node:timers/promises';
import { createManualClock } from '#lib/clock';
import { AppError } from '#lib/errors';
import { createGroupCommit } from '../../../services/projector/group-commit.ts';
import { timedOut } from './timed-out.ts';

const lingerMs = 10;

/** A store whose transactions end when they are told to; one that has a bad item is refused. */
function createHarness({
  bad = [],
  away = false,
  slow = [],
}: { bad?: string[]; away?: boolean; slow?: string[] } = {}) {
  const clock = createManualClock();
  const begun: string[][] = [];
  const ends: (() => void)[] = [];
  const write = createGroupCommit<string>({
    write: async (items) => {
      begun.push([...items]);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (away) throw new AppError('store_unavailable', 'away');
      if (items.some((item) => slow.includes(item))) throw timedOut();
      if (items.some((item) => bad.includes(item))) throw new AppError('data_invalid', 'a NUL');
    },
    ...{ clock, lingerMs, enoughItems: 4, maxItems: 6, maxBytes: 100, maxRows: 1_000 },
    rowsOf: (item) => Number(/\d+/.exec(item)?.[0] ?? 1),
  });
  const said: string[] = [];
  return {
    clock,
    begun,
    said,
    /** As one partition's handler does. */
    hand(items: string[], bytes = 1): void {
      const of = items.join();
      write(items, bytes).then(
        () => said.push(`${of} written`),
        (error: AppError) => said.push(`${of} ${error.code}`),
      );
    },
    async end(): Promise<void> {
      ends.shift()?.();
      await turn();
    },
  };
}

test('what comes within a moment of each other is written together', async () => {
  const { clock, begun, said, hand, end } = createHarness();
  hand(['a']);
  await clock.advance(lingerMs - 1);
  hand(['b', 'c']);
  expect(begun).toEqual([]);
  await clock.advance(1);
  expect(begun).toEqual([['a', 'b', 'c']]);
  expect(said).toEqual([]);
  await end();
  expect(said).toEqual(['a written', 'b,c written']);
});

test('what comes while a transaction is under way goes into the next, which waits no longer than it has already', async () => {
  const { clock, begun, hand, end } = createHarness();
  hand(['a']);
  await clock.advance(lingerMs);
  hand(['b']);
  await clock.advance(lingerMs);
  hand(['c']);
  expect(begun).toEqual([['a']]);
  await end();
  expect(begun).toEqual([['a'], ['b', 'c']]);
});

test('enough of it waits for nobody', async () => {
  const { begun, hand } = createHarness();
  hand(['a', 'b', 'c', 'd']);
  await turn();
  expect(begun).toEqual([['a', 'b', 'c', 'd']]);
});

test('a transaction takes so many items and bytes, and what one hands over whole', async () => {
  const { clock, begun, hand, end } = createHarness();
  hand(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  hand(['i'], 60);
  hand(['j'], 60);
  hand(['k'], 500);
  hand(['l', 'm', 'n']);
  hand(['o', 'p', 'q']);
  hand(['r']);
  await turn();
  for (let ended = 0; ended < 6; ended += 1) {
    await clock.advance(lingerMs);
    await end();
  }
  expect(begun).toEqual([
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
    ['i'],
    ['j'],
    ['k'],
    ['l', 'm', 'n', 'o', 'p', 'q'],
    ['r'],
  ]);
});

test('of data that is refused only who handed it over is told, the others are written', async () => {
  const { clock, begun, said, hand, end } = createHarness({ bad: ['b'] });
  hand(['a']);
  hand(['b']);
  hand(['c']);
  await clock.advance(lingerMs);
  for (let ended = 0; ended < 4; ended += 1) await end();
  expect(begun).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
  expect(said).toEqual(['a written', 'b data_invalid', 'c written']);
});

test('what takes too long together is written one by one, and only who is to blame is told', async () => {
  const { clock, begun, said, hand, end } = createHarness({ slow: ['b'] });
  hand(['a']);
  hand(['b']);
  await clock.advance(lingerMs);
  for (let ended = 0; ended < 3; ended += 1) await end();
  expect(begun).toEqual([['a', 'b'], ['a'], ['b']]);
  expect(said).toEqual(['a written', 'b store_unavailable']);
});

test('an item of many rows counts as so many', async () => {
  const { clock, begun, hand, end } = createHarness();
  hand(['600 rows']);
  hand(['500 rows']);
  hand(['a']);
  for (let ended = 0; ended < 2; ended += 1) {
    await clock.advance(lingerMs);
    await end();
  }
  expect(begun).toEqual([['600 rows'], ['500 rows', 'a']]);
});

test('a store that is away is asked once for all', async () => {
  const { clock, begun, said, hand, end } = createHarness({ away: true });
  hand(['a']);
  hand(['b']);
  await clock.advance(lingerMs);
  await end();
  expect(begun).toEqual([['a', 'b']]);
  expect(said).toEqual(['a store_unavailable', 'b store_unavailable']);
  hand(['a']);
  await clock.advance(lingerMs);
  expect(begun).toHaveLength(2);
});
