import { createManualClock } from '#lib/runtime';
import { createGatherer } from '../../../../services/api/events/publishing/gather-by-tenant.ts';

const waitTimeoutMs = 4_000;
const lingerMs = 2;

interface Item {
  name: string;
  bytes?: number;
}

/** A gatherer whose groups end on demand. */
function open(maxWaiting = 1_000) {
  const clock = createManualClock();
  const groups: { names: string[]; end(): Promise<void>; fail(error: Error): Promise<void> }[] = [];
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const gatherer = createGatherer<Item, string>({
    run(group) {
      const { promise, resolve, reject } = Promise.withResolvers<string[]>();
      const names = group.map(({ name }) => name);
      groups.push({
        names,
        end: () => (resolve(names.map((name) => `done ${name}`)), settle()),
        fail: (error) => (reject(error), settle()),
      });
      return promise;
    },
    maxItems: 3,
    maxBytes: 100,
    lingerMs: () => lingerMs,
    bytesOf: ({ bytes = 1 }) => bytes,
    maxWaiting: () => maxWaiting,
    waitTimeoutMs,
    refuse: (tenant, why) => new Error(`${tenant} ${why}`),
    clock,
  });
  const add = (name: string, { tenant = 't', bytes = 1 } = {}): Promise<string> =>
    gatherer.add(tenant, { name, bytes }).catch((error: Error) => error.message);
  const namesOf = (): string[][] => groups.map(({ names }) => names);
  return { clock, gatherer, groups, namesOf, add };
}

test('what comes while nothing is under way goes at once, alone', async () => {
  const { add, groups, namesOf } = open();
  const first = add('a');
  expect(namesOf()).toEqual([['a']]);
  await groups[0]?.end();
  expect(await first).toBe('done a');
  void add('b');
  expect(namesOf()).toEqual([['a'], ['b']]);
});

test('what comes while a group is under way forms the next one, in its order, and each gets its own outcome', async () => {
  const { add, groups, namesOf } = open();
  void add('a');
  const next = [add('b'), add('c')];
  expect(namesOf()).toEqual([['a']]);
  await groups[0]?.end();
  expect(namesOf()).toEqual([['a'], ['b', 'c']]);
  await groups[1]?.end();
  expect(await Promise.all(next)).toEqual(['done b', 'done c']);
});

test('a group has no more than so many', async () => {
  const { add, clock, groups, namesOf } = open();
  for (const name of ['a', 'b', 'c', 'd', 'e']) void add(name);
  await groups[0]?.end();
  await groups[1]?.end();
  await clock.advance(lingerMs);
  expect(namesOf()).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
});

test('a group has no more bytes than so many, but for one that is larger by itself', async () => {
  const { add, clock, groups, namesOf } = open();
  void add('a');
  for (const [name, bytes] of [
    ['b', 60],
    ['c', 40],
    ['d', 1],
    ['large', 500],
    ['e', 1],
  ] as const)
    void add(name, { bytes });
  for (let turn = 0; turn < 4; turn += 1) {
    await groups[turn]?.end();
    await clock.advance(lingerMs);
  }
  expect(namesOf()).toEqual([['a'], ['b', 'c'], ['d'], ['large'], ['e']]);
});

test('behind a group of several the next one waits until as many have come', async () => {
  const { add, groups, namesOf } = open();
  for (const name of ['a', 'b', 'c']) void add(name);
  await groups[0]?.end();
  void add('d');
  await groups[1]?.end();
  expect(namesOf()).toEqual([['a'], ['b', 'c']]);
  void add('e');
  await new Promise(setImmediate);
  expect(namesOf()).toEqual([['a'], ['b', 'c'], ['d', 'e']]);
});

test('behind a group of several those who have come go when its time is over, and one after that at once', async () => {
  const { add, clock, groups, namesOf } = open();
  for (const name of ['a', 'b', 'c']) void add(name);
  await groups[0]?.end();
  await groups[1]?.end();
  void add('d');
  await clock.advance(lingerMs - 1);
  expect(namesOf()).toHaveLength(2);
  await clock.advance(1);
  expect(namesOf()).toEqual([['a'], ['b', 'c'], ['d']]);
  await groups[2]?.end();
  void add('e');
  expect(namesOf()).toEqual([['a'], ['b', 'c'], ['d'], ['e']]);
});

test('a tenant waits for its own groups alone', () => {
  const { add, namesOf } = open();
  void add('a', { tenant: 'one' });
  void add('b', { tenant: 'one' });
  void add('c', { tenant: 'two' });
  expect(namesOf()).toEqual([['a'], ['c']]);
});

test('a group that fails fails for all that are in it, and the next one goes on', async () => {
  const { add, clock, groups } = open();
  void add('a');
  const together = [add('b'), add('c')];
  await groups[0]?.end();
  const after = add('d');
  await groups[1]?.fail(new Error('failed'));
  expect(await Promise.all(together)).toEqual(['failed', 'failed']);
  await clock.advance(lingerMs);
  await groups[2]?.end();
  expect(await after).toBe('done d');
});

test('no more wait than may', async () => {
  const { add, gatherer } = open(2);
  void add('under way');
  void add('a');
  void add('b');
  expect(await add('c')).toBe('t full');
  expect([...gatherer.waiting()]).toEqual([['t', 2]]);
});

test('who has waited for too long is told so, and is in no group; who came later still waits', async () => {
  const { add, clock, groups, namesOf } = open();
  void add('under way');
  const early = add('early');
  await clock.advance(waitTimeoutMs / 2);
  const later = add('later');
  await clock.advance(waitTimeoutMs / 2);
  expect(await early).toBe('t late');
  await groups[0]?.end();
  expect(namesOf()).toEqual([['under way'], ['later']]);
  await groups[1]?.end();
  expect(await later).toBe('done later');
});

test('one who comes after others were told that they are late is told so in its time, too', async () => {
  const { add, clock } = open();
  void add('under way');
  const early = add('early');
  await clock.advance(waitTimeoutMs);
  expect(await early).toBe('t late');
  const later = add('later');
  await clock.advance(waitTimeoutMs);
  expect(await later).toBe('t late');
});
