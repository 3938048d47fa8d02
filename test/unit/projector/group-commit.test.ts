import { setImmediate as turn } from 'node:timers/promises';
import { AppError } from '#lib/runtime';
import { createGroupCommit } from '../../../services/projector/group-commit.ts';
import { locked, timedOut } from './store-errors.ts';

/** Everything comes to rest that waits for no end of a transaction. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await turn();
}

type Kind = 'prepare' | 'free' | 'waiting';

/** A store whose transactions end on demand; one with a bad item is refused. An item `t/a` belongs to the tenant `t`. */
function createHarness({
  bad = [],
  badAhead = [],
  away = false,
  slow = [],
  busy = new Set<string>(),
  lockedBy = [],
  lockedAhead = [],
}: {
  bad?: string[];
  badAhead?: string[];
  away?: boolean;
  slow?: string[];
  /** Tenants whose clocks are held. */
  busy?: Set<string>;
  /** Tenants whose rows are locked for longer than may be waited for. */
  lockedBy?: string[];
  lockedAhead?: string[];
} = {}) {
  const begun: Record<Kind, string[][]> = { prepare: [], free: [], waiting: [] };
  const ends: Record<Kind, (() => void)[]> = { prepare: [], free: [], waiting: [] };
  const tenantOf = (item: string): string => (item.includes('/') ? (item.split('/')[0] ?? '') : '');
  async function transaction(kind: Exclude<Kind, 'prepare'>, items: readonly string[]): Promise<void> {
    begun[kind].push([...items]);
    await new Promise<void>((resolve) => ends[kind].push(resolve));
    if (away) throw new AppError('store_unavailable', 'away');
    if (items.some((item) => lockedBy.includes(tenantOf(item)))) throw locked();
    if (items.some((item) => slow.includes(item))) throw timedOut();
    if (items.some((item) => bad.includes(item))) throw new AppError('data_invalid', 'a NUL');
  }
  const write = createGroupCommit<string>({
    store: {
      async prepare(items) {
        begun.prepare.push([...items]);
        if (items.some((item) => lockedAhead.includes(tenantOf(item)))) throw locked();
        if (items.some((item) => badAhead.includes(item))) throw new AppError('data_invalid', 'a NUL');
      },
      async commitFree(items) {
        const taken = new Set(items.map(tenantOf)).difference(busy);
        await transaction('free', items);
        return taken;
      },
      commitWaiting: (items) => transaction('waiting', items),
    },
    maxItems: 6,
    maxBytes: 100,
    maxRows: 1_000,
    tenantOf,
    rowsOf: (item) => Number(/\d+/.exec(item)?.[0] ?? 1),
  });
  const said: string[] = [];
  return {
    begun: begun.free,
    all: begun,
    said,
    /** As one partition's handler does. */
    hand(items: string[], bytes = 1): void {
      const of = items.join();
      write(items, bytes).then(
        (left) => said.push(`${of} written${left.size > 0 ? ` but ${[...left].join()}` : ''}`),
        (error: AppError) => said.push(`${of} ${error.code}`),
      );
    },
    async end(kind: Exclude<Kind, 'prepare'> = 'free'): Promise<void> {
      ends[kind].shift()?.();
      await turn();
    },
  };
}

test('what is handed over in one turn of the loop is written together', async () => {
  const { begun, said, hand, end } = createHarness();
  hand(['a']);
  hand(['b', 'c']);
  expect(begun).toEqual([]);
  await turn();
  expect(begun).toEqual([['a', 'b', 'c']]);
  expect(said).toEqual([]);
  await end();
  expect(said).toEqual(['a written', 'b,c written']);
});

test('what comes while a transaction is under way is prepared meanwhile, and all of it goes into the next', async () => {
  const { begun, all, hand, end } = createHarness();
  hand(['a']);
  await settle();
  for (const item of ['b', 'c']) {
    hand([item]);
    await settle();
  }
  expect(begun).toEqual([['a']]);
  expect(all.prepare).toEqual([['a'], ['b'], ['c']]);
  await end();
  expect(begun).toEqual([['a'], ['b', 'c']]);
});

test('a transaction takes so many items and bytes, and what one hands over whole', async () => {
  const { begun, all, hand, end } = createHarness();
  hand(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  hand(['i'], 60);
  hand(['j'], 60);
  hand(['k'], 500);
  hand(['l', 'm', 'n']);
  hand(['o', 'p', 'q']);
  hand(['r']);
  await settle();
  expect(all.prepare).toEqual([
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
    ['i'],
    ['j'],
    ['k'],
    ['l', 'm', 'n', 'o', 'p', 'q'],
    ['r'],
  ]);
  for (let ended = 0; ended < 2; ended += 1) await end();
  // Parts that were prepared meanwhile are committed together.
  expect(begun).toEqual([
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
    ['i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r'],
  ]);
});

test('of data that is refused ahead of the transaction only who handed it over is told', async () => {
  const { begun, said, hand, end } = createHarness({ badAhead: ['b'] });
  for (const item of ['a', 'b', 'c']) hand([item]);
  await settle();
  expect(said).toEqual(['b data_invalid']);
  while (said.length < 3) await end();
  expect(begun.flat()).toEqual(['a', 'c']);
});

test('of a tenant whose clock is held by another the facts wait, without the others', async () => {
  const busy = new Set(['t']);
  const { all, said, hand, end } = createHarness({ busy });
  hand(['s/a', 't/b']);
  hand(['s/c']);
  await settle();
  await end();
  expect(said).toEqual(['s/c written']);
  // On another connection, while others go on on theirs.
  expect(all.waiting).toEqual([['t/b']]);
  hand(['s/d', 't/e']);
  await settle();
  expect(all.free).toEqual([['s/a', 't/b', 's/c'], ['s/d']]);
  busy.clear();
  await end('waiting');
  expect(said).toEqual(['s/c written', 's/a,t/b written']);
  await end();
  // It goes after what came before it.
  expect(all.free.at(-1)).toEqual(['t/e']);
  await end();
  expect(said.at(-1)).toBe('s/d,t/e written');
});

test('one tenant at a time is waited for; the next one is tried again with whatever comes', async () => {
  const busy = new Set(['t', 'u']);
  const { all, said, hand, end } = createHarness({ busy });
  hand(['t/a']);
  hand(['u/b']);
  await settle();
  await end();
  expect(all.waiting).toEqual([['t/a']]);
  expect(all.free).toHaveLength(1);
  busy.delete('u');
  hand(['s/c']);
  await settle();
  expect(all.free.at(-1)).toEqual(['s/c', 'u/b']);
  await end();
  expect(said).toEqual(['s/c written', 'u/b written']);
  await end('waiting');
  expect(said.at(-1)).toBe('t/a written');
  expect(all.waiting).toHaveLength(1);
});

test('however much waits for those whose clocks are held, it takes no room from the others', async () => {
  const { all, hand, end } = createHarness({ busy: new Set(['t', 'u']) });
  hand(['t/a']);
  hand(['u/b', 'u/999 rows']);
  await settle();
  await end();
  await end();
  hand(['s/h', 's/i']);
  await settle();
  expect(all.free.at(-1)).toEqual(['s/h', 's/i']);
});

test('what fails for one of its tenants is told at once, and nothing else of it is written', async () => {
  const { all, said, hand, end } = createHarness({ busy: new Set(['t', 'u']), bad: ['t/a'] });
  hand(['t/a', 'u/b']);
  await settle();
  await end();
  expect(said).toEqual(['t/a,u/b data_invalid']);
  hand(['u/c']);
  await settle();
  await end();
  expect(all.free.at(-1)).toEqual(['u/c']);
  expect(all.waiting).toEqual([['u/c']]);
});

test('where rows of a tenant are locked the others are committed at once, and that tenant’s items are left', async () => {
  const { begun, said, hand, end } = createHarness({ lockedBy: ['t'] });
  hand(['s/a', 't/b']);
  hand(['u/c']);
  hand(['t/d']);
  await settle();
  for (let ended = 0; ended < 4; ended += 1) await end();
  expect(begun).toEqual([['s/a', 't/b', 'u/c', 't/d'], ['s/a'], ['t/b', 't/d'], ['u/c']]);
  expect(said).toEqual(['s/a,t/b written but t', 't/d written but t', 'u/c written']);
});

test('the same ahead of the transaction', async () => {
  const { all, said, hand, end } = createHarness({ lockedAhead: ['t'] });
  hand(['s/a', 't/b']);
  hand(['u/c']);
  await settle();
  for (let ended = 0; ended < 3; ended += 1) await end();
  expect(all.prepare).toEqual([['s/a', 't/b', 'u/c'], ['s/a'], ['t/b'], ['u/c']]);
  expect(all.free.flat()).toEqual(['s/a', 'u/c']);
  expect(said.toSorted()).toEqual(['s/a,t/b written but t', 'u/c written']);
});

test('a clock that is held for longer than it may be waited for leaves its tenant’s items, and the next tenant is waited for', async () => {
  const { all, said, hand, end } = createHarness({ busy: new Set(['t', 'u']), lockedBy: ['t'] });
  hand(['u/b']);
  await settle();
  await end();
  hand(['t/a', 's/c']);
  await settle();
  for (let ended = 0; ended < 4; ended += 1) await end();
  for (let ended = 0; ended < 3; ended += 1) await end('waiting');
  expect(all.waiting[0]).toEqual(['u/b']);
  expect(said.toSorted()).toEqual(['t/a,s/c written but t', 'u/b written']);
});

test('of data that is refused only who handed it over is told, the others are written', async () => {
  const { begun, said, hand, end } = createHarness({ bad: ['b'] });
  hand(['a']);
  hand(['b']);
  hand(['c']);
  await settle();
  for (let ended = 0; ended < 4; ended += 1) await end();
  expect(begun).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
  expect(said).toEqual(['a written', 'b data_invalid', 'c written']);
});

test('what takes too long together is written one by one, and only who is to blame is told', async () => {
  const { begun, said, hand, end } = createHarness({ slow: ['b'] });
  hand(['a']);
  hand(['b']);
  await settle();
  for (let ended = 0; ended < 3; ended += 1) await end();
  expect(begun).toEqual([['a', 'b'], ['a'], ['b']]);
  expect(said).toEqual(['a written', 'b store_unavailable']);
});

test('an item of many rows counts as so many', async () => {
  const { begun, hand, end } = createHarness();
  hand(['600 rows']);
  hand(['500 rows']);
  hand(['a']);
  for (let ended = 0; ended < 2; ended += 1) {
    await settle();
    await end();
  }
  expect(begun).toEqual([['600 rows'], ['500 rows', 'a']]);
});

test('a store that is away is asked once for all', async () => {
  const { begun, said, hand, end } = createHarness({ away: true });
  hand(['a']);
  hand(['b']);
  await settle();
  await end();
  expect(begun).toEqual([['a', 'b']]);
  expect(said).toEqual(['a store_unavailable', 'b store_unavailable']);
  hand(['a']);
  await settle();
  expect(begun).toHaveLength(2);
});
