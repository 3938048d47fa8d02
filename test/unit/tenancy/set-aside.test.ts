import { setImmediate as turn } from 'node:timers/promises';
import { createManualClock } from '#lib/runtime';
import { createSetAside, type SetAsideLimits } from '#lib/tenancy';
import { seededRandom } from '../../support/seeded-random.ts';

/** Items `a0`, `a1`, … belong to the tenant `a`. */
function createWorld(limits: Partial<SetAsideLimits> = {}, random: () => number = () => 0.5) {
  const clock = createManualClock();
  const locked = new Set<string>();
  const lost = new Set<string>();
  const written: string[] = [];
  const tried: string[] = [];
  const waited: string[] = [];
  let underWay = 0;
  const aside = createSetAside<string>({
    async write(items) {
      underWay += 1;
      if (underWay > 1) throw new Error('two at once');
      const tenant = items[0]?.[0] ?? '';
      tried.push(tenant);
      await turn();
      underWay -= 1;
      if (locked.has(tenant)) return items;
      // Now and then the lock comes between two of them.
      const count = random() < 0.3 ? Math.ceil(items.length / 2) : items.length;
      written.push(...items.slice(0, count));
      return items.slice(count);
    },
    bytesOf: () => 10,
    isWanted: (item) => !lost.has(item),
    limits: { maxItems: 100, maxBytes: 10_000, maxAtOnce: 3, ...limits },
    clock,
    random,
    onWaiting: (tenant) => void waited.push(tenant),
    onFailure: (error) => {
      throw error;
    },
  });
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50) {
      await clock.advance(50);
      for (let turns = 0; turns < 6; turns += 1) await turn();
    }
  };
  return { aside, locked, lost, written, tried, waited, pass };
}

test('what is not locked any more is written at once', async () => {
  const { aside, written, pass } = createWorld();
  aside.add('a', ['a0', 'a1']);
  expect(aside.has('a')).toBe(true);
  await pass(50);
  expect(written).toEqual(['a0', 'a1']);
  expect([aside.has('a'), aside.isEmpty()]).toEqual([false, true]);
});

test('a tenant that stays locked is tried about once a second, and takes no turn of another', async () => {
  const { aside, locked, written, tried, waited, pass } = createWorld();
  locked.add('a');
  aside.add('a', ['a0']);
  await pass(10_000);
  expect(tried.length).toBeGreaterThan(9);
  expect(tried.length).toBeLessThan(30);
  expect(waited).toEqual(['a']);
  aside.add('b', ['b0', 'b1']);
  await pass(50);
  expect(written).toEqual(['b0', 'b1']);
  locked.delete('a');
  await pass(1_200);
  expect(written.at(-1)).toBe('a0');
});

test('half of the room is the most that one tenant takes up before its callers wait', async () => {
  const { aside, locked, pass } = createWorld({ maxItems: 8 });
  locked.add('a').add('b');
  const never = new AbortController().signal;
  const given: string[] = [];
  const ask = (tenant: string, signal = never) => void aside.room([tenant], signal).then(() => given.push(tenant));
  aside.add('a', ['a0', 'a1', 'a2', 'a3']);
  ask('a');
  await pass(50);
  expect(given).toEqual(['a']);
  aside.add('a', ['a4']);
  ask('a');
  aside.add('b', ['b0']);
  ask('b');
  await pass(50);
  expect(given).toEqual(['a', 'b']);
  const lost = new AbortController();
  ask('a', lost.signal);
  lost.abort();
  await pass(50);
  expect(given).toEqual(['a', 'b', 'a']);
  locked.delete('a');
  await pass(1_200);
  expect(given).toEqual(['a', 'b', 'a', 'a']);
});

test('bytes are bounded like items, and what is dropped or written gives them back', async () => {
  const { aside, locked, lost, pass } = createWorld({ maxBytes: 40 });
  locked.add('a');
  const items = ['a0', 'a1', 'a2'];
  aside.add('a', items);
  let isGiven = false;
  void aside.room(['a'], new AbortController().signal).then(() => (isGiven = true));
  await pass(1_200);
  expect(isGiven).toBe(false);
  lost.add('a0');
  await pass(1_200);
  expect(isGiven).toBe(true);
});

test.each(Array.from({ length: 40 }, (_, seed) => seed))(
  'whatever is locked, lost and added when (seed %i), a tenant’s items are written once each and in their order, and none is left',
  async (seed) => {
    const random = seededRandom(seed);
    const { aside, locked, lost, written, pass } = createWorld({}, random);
    const tenants = ['a', 'b', 'c'];
    const added: string[] = [];
    for (let step = 0; step < 40; step += 1) {
      const tenant = tenants[Math.floor(random() * tenants.length)] ?? 'a';
      const what = random();
      if (what < 0.5) {
        const items = Array.from({ length: Math.ceil(random() * 5) }, (_, n) => `${tenant}${added.length + n}`);
        added.push(...items);
        aside.add(tenant, items);
      } else if (what < 0.65) locked.add(tenant);
      else if (what < 0.9) locked.delete(tenant);
      else for (const item of added) if (!written.includes(item) && random() < 0.3) lost.add(item);
      await pass(Math.floor(random() * 6) * 50);
    }
    locked.clear();
    await pass(3_000);
    expect(aside.isEmpty()).toBe(true);
    for (const tenant of tenants) {
      const theirs = written.filter((item) => item.startsWith(tenant));
      const wanted = added.filter((item) => item.startsWith(tenant) && (!lost.has(item) || theirs.includes(item)));
      expect(theirs).toEqual(wanted);
    }
  },
);
