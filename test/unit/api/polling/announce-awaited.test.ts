import { awaitedAgainMs, awaitedForMs, everyTenant } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { AppError, createManualClock, silentLogger } from '#lib/runtime';
import { createAwaitedTenants } from '../../../../services/api/events/polling/announce-awaited.ts';
import { settle } from '../../kafka/fixtures.ts';

/** A database that answers when it is told to, and the tenants that were announced to it, by statement. */
function createWorld() {
  const clock = createManualClock();
  const closing = new AbortController();
  const statements: string[][] = [];
  const world = { clock, closing, statements, isAway: false, answer: Promise.resolve() };
  const postgres: Query = {
    async query(_text, values = []) {
      // An array of texts, as Postgres reads it.
      statements.push((JSON.parse(`[${String(values[0]).slice(1, -1)}]`) as string[]).toSorted());
      await world.answer;
      if (world.isAway) throw new AppError('store_unavailable', 'away');
      return [];
    },
  };
  return {
    ...world,
    world,
    awaited: createAwaitedTenants({ postgres, clock, log: silentLogger, closing: closing.signal }),
  };
}

test('a tenant is announced as the first of its requests begins to wait, and again as long as one does', async () => {
  const { awaited, clock, statements } = createWorld();
  awaited.begin('acme');
  awaited.begin('acme');
  await settle();
  expect(statements).toEqual([['acme']]);
  awaited.end('acme');
  await clock.advance(3 * awaitedAgainMs);
  expect(statements).toEqual([['acme'], ['acme'], ['acme'], ['acme']]);
  awaited.end('acme');
  await clock.advance(10 * awaitedAgainMs);
  expect(statements).toHaveLength(4);
  awaited.begin('acme');
  await settle();
  expect(statements).toHaveLength(5);
});

test('a tenant is said again before it is forgotten, even if one time is lost', () => {
  expect(2 * awaitedAgainMs).toBeLessThan(awaitedForMs);
});

test('requests that come and go are announced no oftener than one that stays', async () => {
  const { awaited, clock, statements } = createWorld();
  for (let at = 0; at < 2 * awaitedAgainMs; at += 10) {
    awaited.begin('acme');
    await clock.advance(5);
    awaited.end('acme');
    await clock.advance(5);
  }
  expect(statements.length).toBeGreaterThanOrEqual(2);
  expect(statements.length).toBeLessThanOrEqual(4);
});

test('tenants that come while a statement is under way share the next one', async () => {
  const { awaited, world, statements } = createWorld();
  const { promise, resolve } = Promise.withResolvers<void>();
  world.answer = promise;
  for (const tenant of ['a', 'b', 'c']) awaited.begin(tenant);
  await settle();
  expect(statements).toEqual([['a']]);
  resolve();
  await settle();
  expect(statements).toEqual([['a'], ['b', 'c']]);
});

test('of very many tenants it is said that they are all', async () => {
  const { awaited, clock, statements } = createWorld();
  for (let n = 0; n < 2_000; n += 1) awaited.begin(`tenant ${n}`);
  await clock.advance(awaitedAgainMs);
  expect(statements.slice(1)).toEqual([[everyTenant], [everyTenant]]);
});

test('a database that is away delays nobody, and hears of it the next time', async () => {
  const { awaited, clock, world, statements } = createWorld();
  world.isAway = true;
  awaited.begin('acme');
  await settle();
  world.isAway = false;
  await clock.advance(awaitedAgainMs);
  expect(statements).toEqual([['acme'], ['acme']]);
});

test('nothing is announced any more once the process stops', async () => {
  const { awaited, clock, closing, statements } = createWorld();
  awaited.begin('acme');
  await settle();
  closing.abort();
  await clock.advance(3 * awaitedAgainMs);
  expect(statements).toHaveLength(1);
});
