import { Registry } from 'prom-client';
import { AppError, createManualClock, formatMicros, silentLogger } from '#lib/runtime';
import type { EventFilter } from '../../../../services/api/events/filters.ts';
import { createHeldPolls, type Found, type Place } from '../../../../services/api/events/polling/held-polls.ts';
import { afterInstant, matcherOf, type NewEvents } from '../../../../services/api/events/polling/read-new-events.ts';
import type { EventRow } from '../../../../services/api/events/row.ts';
import type { Asker } from '../../../../services/api/keys/why-ended.ts';
import { createApiMetrics } from '../../../../services/api/metrics.ts';

/** Events that were committed, of any tenant, and who waits for them. */
function createWorld({ max = 125, maxPerCredential = 100, maxOfTenant = 100, eventsAtOnce = 1_000 } = {}) {
  const committed: { tenant: string; event: EventRow }[] = [];
  const metrics = new Registry();
  const clock = createManualClock();
  const closing = new AbortController();
  const world = {
    clock,
    closing,
    reads: 0,
    atOnce: 0,
    mostAtOnce: 0,
    failures: 0,
    /** The tenant of each request that waits, as the projectors are told. */
    awaited: [] as string[],
    /** Between what a reading sees and its end. */
    whileReading: async (): Promise<void> => undefined,
    commit(tenant: string, event: Partial<EventRow> = {}): EventRow {
      const updated_at = formatMicros(committed.length + 1);
      const row = { id: `evt_${committed.length}`, type: 'a', updated_at, ...event } as EventRow;
      committed.push({ tenant, event: row });
      return row;
    },
    since: (tenant: string, from: string): EventRow[] =>
      committed.flatMap((row) => (row.tenant === tenant && row.event.updated_at >= from ? [row.event] : [])),
    held: createHeldPolls({
      async readNewEvents(tenant, from): Promise<NewEvents> {
        world.reads += 1;
        world.mostAtOnce = Math.max(world.mostAtOnce, (world.atOnce += 1));
        const events = world.since(tenant, from).slice(0, eventsAtOnce);
        await world.whileReading();
        world.atOnce -= 1;
        if (world.failures > 0) {
          world.failures -= 1;
          throw new AppError('store_unavailable', 'connection lost');
        }
        const last = events.at(-1)?.updated_at;
        return {
          events,
          matcherOf: (filter) => matcherOf(filter, () => undefined),
          readTo: last === undefined ? from : afterInstant(last),
          isAll: events.length < eventsAtOnce,
        };
      },
      awaited: {
        begin: (tenant) => void world.awaited.push(tenant),
        end: (tenant) => void world.awaited.splice(world.awaited.indexOf(tenant), 1),
      },
      clock,
      log: silentLogger,
      metrics: createApiMetrics(metrics),
      closing: closing.signal,
      max,
      maxPerCredential,
      maxOfTenant: () => maxOfTenant,
    }),
    waiting: async () => (await metrics.getSingleMetric('hookline_longpoll_waiting')?.get())?.values[0]?.value,
  };
  return world;
}

type World = ReturnType<typeof createWorld>;
const start = formatMicros(0);
const seconds = 30;

function enter(world: World, tenant = 'acme', credential = 'key'): Place {
  const place = world.held.enter(tenant, credential);
  if (typeof place === 'string') throw new Error(`no place: ${place}`);
  return place;
}

const wait = (place: Place, filter: EventFilter = {}, from = start): Promise<Found> =>
  new Promise((resolve) => place.wait({ filter, from, limit: 10, withinMs: seconds * 1_000 }, resolve));

/** Everything that is under way comes to rest, without time passing. */
const settle = (world: World) => world.clock.advance(0);

/** How a request goes about it, and the wrong way round. */
async function enterThenLook(world: World, look: () => Promise<EventRow[]>): Promise<EventRow[]> {
  const place = enter(world);
  const seen = await look();
  return seen.length > 0 ? seen : (await wait(place)).events;
}
async function lookThenEnter(world: World, look: () => Promise<EventRow[]>): Promise<EventRow[]> {
  const seen = await look();
  return seen.length > 0 ? seen : (await wait(enter(world))).events;
}

/** Commits and notifies at the worst moment: after the look has seen nothing, before the wait. */
async function changeInBetween(ask: typeof enterThenLook): Promise<EventRow[]> {
  const world = createWorld();
  const answered = ask(world, async () => {
    const seen = world.since('acme', start);
    world.commit('acme');
    world.held.wake('acme');
    await new Promise(setImmediate);
    return seen;
  });
  await world.clock.advance(seconds * 1_000);
  return answered;
}

test('a change between look and wait is not slept through', async () => {
  expect(await changeInBetween(enterThenLook)).toHaveLength(1);
});

test('it would be by who looks first, and enters then', async () => {
  expect(await changeInBetween(lookThenEnter)).toEqual([]);
});

test('a change is answered at once, to everyone of the tenant, by one reading', async () => {
  const world = createWorld();
  const waiting = Array.from({ length: 50 }, () => wait(enter(world)));
  const other = wait(enter(world, 'other'));
  const event = world.commit('acme');
  world.held.wake('acme');
  for (const { events } of await Promise.all(waiting)) expect(events).toEqual([event]);
  expect(world.reads).toBe(1);
  await world.clock.advance(seconds * 1_000);
  expect(await other).toEqual({ events: [], from: start });
});

test('all that a credential holds end with it, and those of others wait on: each is asked about once a round', async () => {
  const world = createWorld();
  const ended: string[] = [];
  const hold = (credential: string, number: number): void => {
    const asker = { tenant: 'acme', caller: { id: credential } } as Asker;
    enter(world, 'acme', credential).wait(
      { filter: {}, from: start, limit: 10, withinMs: seconds * 1_000, asker },
      () => void ended.push(`${credential} ${number}`),
    );
  };
  for (const number of [1, 2]) for (const credential of ['kept', 'revoked']) hold(credential, number);
  const asked: string[] = [];
  const whyEnded = Object.assign(
    ({ caller: { id } }: Asker) => {
      asked.push(id);
      return id === 'revoked' ? ('unauthorized' as const) : undefined;
    },
    { read: async () => undefined },
  );
  await world.held.endRevoked(whyEnded);
  expect(ended).toEqual(['revoked 1', 'revoked 2']);
  await world.held.endRevoked(whyEnded);
  expect(asked).toEqual(['kept', 'revoked', 'kept']);
  expect(await world.waiting()).toBe(2);
});

test('the projectors are told of a tenant as long as a request waits for it, and not of one that only looks', async () => {
  const world = createWorld();
  enter(world, 'looks').leave();
  const answers = [wait(enter(world)), wait(enter(world)), wait(enter(world, 'other'))];
  expect(world.awaited).toEqual(['acme', 'acme', 'other']);
  world.commit('acme');
  world.held.wake('acme');
  await Promise.all(answers.slice(0, 2));
  expect(world.awaited).toEqual(['other']);
  const left = enter(world, 'leaves');
  void wait(left);
  left.leave();
  expect(world.awaited).toEqual(['other']);
  await world.clock.advance(seconds * 1_000);
  await answers[2];
  expect(world.awaited).toEqual([]);
});

test('who waits for something else waits on, and its position goes on', async () => {
  const world = createWorld();
  const answer = wait(enter(world), { type: 'b' });
  const first = world.commit('acme', { type: 'a' });
  world.held.wake('acme');
  await settle(world);
  await world.clock.advance(seconds * 1_000);
  expect(await answer).toEqual({ events: [], from: afterInstant(first.updated_at) });
});

describe('that there is nothing behind what was seen a moment ago', () => {
  /** One poll has waited, and was answered with all events. */
  async function answered(): Promise<{ world: World; to: string }> {
    const world = createWorld();
    const answer = wait(enter(world));
    const event = world.commit('acme');
    world.held.wake('acme');
    // Stays, so that the tenant is watched on.
    void wait(enter(world));
    await answer;
    return { world, to: afterInstant(event.updated_at) };
  }

  test('is known to who comes back at once, and no look is made', async () => {
    const { world, to } = await answered();
    expect(enter(world).seenTo()).toBe(to);
  });

  test('is not known any more once a change was notified, before anybody has read it', async () => {
    const { world, to } = await answered();
    const place = enter(world);
    const reading = Promise.withResolvers<void>();
    world.whileReading = () => reading.promise;
    world.commit('acme');
    world.held.wake('acme');
    expect([place.seenTo(), enter(world).seenTo()]).toEqual([undefined, undefined]);
    reading.resolve();
    await settle(world);
    expect(enter(world).seenTo()).toBe(afterInstant(to));
  });

  test('is not known where a change was notified while it was read', async () => {
    const world = createWorld();
    void wait(enter(world), { type: 'none' });
    const reading = Promise.withResolvers<void>();
    world.whileReading = () => reading.promise;
    world.held.wake('acme');
    await settle(world);
    world.commit('acme');
    world.held.wake('acme');
    world.whileReading = () => new Promise(() => undefined);
    reading.resolve();
    await settle(world);
    expect(enter(world).seenTo()).toBeUndefined();
  });

  test('is not relied on for longer than five seconds: the changes may be heard of no more', async () => {
    const { world } = await answered();
    await world.clock.advance(4_999);
    expect(enter(world).seenTo()).toBeDefined();
    await world.clock.advance(1);
    expect(enter(world).seenTo()).toBeUndefined();
  });

  test('is known from a look too, unless a change was notified since it began', async () => {
    const world = createWorld();
    const [first, second] = [enter(world), enter(world)];
    first.saw(start);
    expect(second.seenTo()).toBe(start);
    world.held.wake('acme');
    second.saw(start);
    expect(enter(world).seenTo()).toBeUndefined();
  });
});

test('each gets what comes after its own position, up to its limit', async () => {
  const world = createWorld();
  const events = Array.from({ length: 12 }, () => world.commit('acme'));
  const answers = [0, 3, 11].map((index) => wait(enter(world), {}, events[index]?.updated_at));
  world.held.wake('acme');
  expect(await Promise.all(answers)).toMatchObject([
    { events: events.slice(0, 10) },
    { events: events.slice(3, 12) },
    { events: events.slice(11) },
  ]);
});

test('a reading that does not get to the end is followed by another', async () => {
  const world = createWorld({ eventsAtOnce: 2 });
  const answer = wait(enter(world), { type: 'b' });
  for (let n = 0; n < 5; n += 1) world.commit('acme', { type: 'a' });
  const wanted = world.commit('acme', { type: 'b' });
  world.held.wake('acme');
  expect((await answer).events).toEqual([wanted]);
});

test('what is notified while it is read is read again', async () => {
  const world = createWorld();
  const answer = wait(enter(world));
  const read = Promise.withResolvers<void>();
  world.whileReading = () => read.promise;
  world.held.wake('acme');
  await settle(world);
  const event = world.commit('acme');
  world.held.wake('acme');
  read.resolve();
  expect((await answer).events).toEqual([event]);
});

test('a reading that fails is tried again, and nobody is let down', async () => {
  const world = createWorld();
  const answer = wait(enter(world));
  world.failures = 3;
  const event = world.commit('acme');
  world.held.wake('acme');
  for (let n = 0; n < 8; n += 1) await world.clock.advance(1_000);
  expect((await answer).events).toEqual([event]);
  expect(world.reads).toBe(4);
});

test('where changes may have gone unnoticed, everyone is read for, a few tenants at a time', async () => {
  const world = createWorld({ max: 200 });
  const tenants = Array.from({ length: 100 }, (_, n) => `tenant-${n}`);
  const answers = tenants.map((tenant) => wait(enter(world, tenant)));
  world.whileReading = () => new Promise(setImmediate);
  for (const tenant of tenants) world.commit(tenant);
  world.held.wakeAll();
  for (const { events } of await Promise.all(answers)) expect(events).toHaveLength(1);
  expect(world.mostAtOnce).toBe(4);
});

test('whoever leaves frees the place, ten thousand times over', async () => {
  const world = createWorld({ max: 13, maxPerCredential: 10 });
  for (let n = 0; n < 1_000; n += 1) {
    const places = Array.from({ length: 10 }, () => enter(world));
    expect(world.held.enter('acme', 'key')).toBe('credential');
    const answers = places.map((place) => wait(place));
    for (const place of places) {
      place.leave();
      place.leave();
    }
    for (const { events } of await Promise.all(answers)) expect(events).toEqual([]);
  }
  expect(await world.waiting()).toBe(0);
  world.held.wake('acme');
  await settle(world);
  expect(world.reads).toBe(0);
});

test('a key’s places are its own in each tenant; the process has so many in all', async () => {
  const world = createWorld({ max: 4, maxPerCredential: 2 });
  const [first] = [enter(world, 'acme', 'a'), enter(world, 'acme', 'a')];
  expect(world.held.enter('acme', 'a')).toBe('credential');
  enter(world, 'acme', 'b');
  enter(world, 'other', 'a');
  expect(world.held.enter('other', 'b')).toBe('process');
  expect(await world.waiting()).toBe(4);
  const { taken } = world.held;
  expect([taken(), taken('acme'), taken('acme', 'a'), taken('none', 'a')]).toEqual([4, 3, 2, 0]);
  first?.leave();
  expect(typeof world.held.enter('third', 'b')).toBe('object');
});

test('keys of one tenant, however many, leave places to the others', async () => {
  const world = createWorld({ max: 10, maxPerCredential: 5 });
  const of = (key: string): unknown[] => Array.from({ length: 5 }, () => world.held.enter('greedy', key));
  const entered = ['a', 'b', 'c'].flatMap(of);
  expect(entered.filter((place) => typeof place === 'object')).toHaveLength(8);
  expect(entered.slice(8)).toEqual(Array(7).fill('tenant'));
  expect(typeof world.held.enter('other', 'a')).toBe('object');
  expect([...world.held.usage()]).toEqual([
    ['greedy', 1],
    ['other', 1],
  ]);
});

test('a tenant has no more places than its limit says', () => {
  const world = createWorld({ maxOfTenant: 1 });
  enter(world, 'acme', 'a');
  expect(world.held.enter('acme', 'b')).toBe('tenant');
  enter(world, 'other', 'a');
});

test('when the process stops, all are answered at once, and who comes then too', async () => {
  const world = createWorld();
  const answers = [wait(enter(world)), wait(enter(world, 'other'))];
  world.closing.abort();
  expect(await Promise.all(answers)).toMatchObject([{ events: [] }, { events: [] }]);
  expect(await wait(enter(world))).toMatchObject({ events: [] });
});

test('who has left before the wait begins is not held', async () => {
  const world = createWorld();
  const place = enter(world);
  place.leave();
  expect(await wait(place)).toMatchObject({ events: [] });
});
