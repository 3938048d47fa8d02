import fc from 'fast-check';
import { type SharedPlaces, createSharedPlaces, createSharedRoom } from '#lib/tenancy';

const open = ({ places = 10, maxWaiting = 1_000, waitTimeoutMs = 60_000 } = {}) =>
  createSharedPlaces({
    places,
    maxWaiting: () => maxWaiting,
    waitTimeoutMs,
    refuse: (tenant) => new Error(`${tenant} waits`),
  });

/** Asks for a place. A refusal, perhaps long after the test has ended, is ignored. */
const ask = (shared: SharedPlaces, tenant: string, onPlace: (giveBack: () => void) => void): void =>
  void shared.take(tenant).then(onPlace, () => undefined);

/** As many as the tenant gets at once. */
async function takeAll(shared: SharedPlaces, tenant: string, wanted: number) {
  const got: (() => void)[] = [];
  for (let n = 0; n < wanted; n += 1) ask(shared, tenant, (giveBack) => got.push(giveBack));
  await turn();
  return got;
}
const turn = () => new Promise(setImmediate);

describe('places that tenants share', () => {
  test('a tenant alone gets four fifths, and a newcomer finds one at once', async () => {
    const shared = open();
    expect(await takeAll(shared, 'greedy', 800)).toHaveLength(8);
    expect(await takeAll(shared, 'other', 1)).toHaveLength(1);
  });

  test('what is given back goes to the tenants in turns, and within one to the first that came', async () => {
    const shared = open({ places: 2 });
    const [first] = await takeAll(shared, 'a', 1);
    const order: string[] = [];
    const held: (() => void)[] = [];
    const wait = (tenant: string, name: string) =>
      ask(shared, tenant, (giveBack) => (order.push(name), held.push(giveBack)));
    for (const name of ['b1', 'b2', 'b3']) wait('b', name);
    for (const name of ['c1', 'c2']) wait('c', name);
    await turn();
    first?.();
    for (let n = 0; n < 6; n += 1) {
      await turn();
      held.shift()?.();
    }
    expect(order).toEqual(['b1', 'c1', 'b2', 'c2', 'b3']);
  });

  test('a place that is given back twice is free once', async () => {
    const shared = open({ places: 5 });
    const [giveBack] = await takeAll(shared, 'a', 1);
    giveBack?.();
    giveBack?.();
    expect(await takeAll(shared, 'b', 10)).toHaveLength(4);
  });

  test('who comes beyond the number that may wait, or waits for too long, is refused, and leaves no place taken', async () => {
    const shared = open({ places: 5, maxWaiting: 1, waitTimeoutMs: 20 });
    const held = await takeAll(shared, 'a', 4);
    const late = shared.take('a');
    await expect(shared.take('a')).rejects.toThrow('a waits');
    await expect(late).rejects.toThrow('a waits');
    held.forEach((giveBack) => giveBack());
    expect(await takeAll(shared, 'a', 4)).toHaveLength(4);
  });

  test('whatever tenants take and give back: none holds more than its share, and nobody waits where it may take', async () => {
    const tenants = ['a', 'b', 'c', 'd'];
    const steps = fc.array(fc.tuple(fc.constantFrom(...tenants), fc.boolean()), { maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), steps, async (places, steps) => {
        const shared = open({ places });
        const held = new Map(tenants.map((tenant) => [tenant, [] as (() => void)[]]));
        const waiting = new Map(tenants.map((tenant) => [tenant, 0]));
        const heldOf = (tenant: string): number => held.get(tenant)?.length ?? 0;
        const roomNow = () => {
          const room = createSharedRoom(places);
          for (const tenant of tenants) if (heldOf(tenant) > 0) room.take(tenant, heldOf(tenant));
          return room;
        };
        for (const [tenant, isTaking] of steps) {
          if (isTaking) {
            waiting.set(tenant, (waiting.get(tenant) ?? 0) + 1);
            ask(shared, tenant, (giveBack) => {
              waiting.set(tenant, (waiting.get(tenant) ?? 0) - 1);
              held.get(tenant)?.push(giveBack);
            });
          } else held.get(tenant)?.pop()?.();
          await turn();
          expect(tenants.reduce((sum, each) => sum + heldOf(each), 0)).toBeLessThanOrEqual(places);
          for (const each of tenants) if ((waiting.get(each) ?? 0) > 0) expect(roomNow().mayTake(each)).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });
});
