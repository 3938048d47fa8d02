import fc from 'fast-check';
import { createSharedRoom, type SharedRoom } from '#lib/tenancy';

/** Takes for as long as it may. */
function fill(room: SharedRoom, tenant: string): number {
  while (room.mayTake(tenant)) room.take(tenant);
  return room.held(tenant);
}

describe('room that tenants share', () => {
  it('is taken to four fifths by one alone', () => {
    expect(fill(createSharedRoom(500), 'a')).toBe(400);
    expect(fill(createSharedRoom(10), 'a')).toBe(8);
    expect(fill(createSharedRoom(1), 'a')).toBe(1);
  });

  it('is shared evenly by those who want all of it, four ninths each where there are two', () => {
    const shared = (tenants: number): number[] => {
      const room = createSharedRoom(900);
      const names = Array.from({ length: tenants }, (_, at) => `t${at}`);
      for (let took = true; took;) {
        took = false;
        for (const name of names) {
          if (!room.mayTake(name)) continue;
          room.take(name);
          took = true;
        }
      }
      return names.map(room.held);
    };
    expect(shared(2)).toEqual([400, 400]);
    expect(shared(3)).toEqual([277, 277, 277].map((held) => expect.closeTo(held, -1) as number));
    expect(new Set(shared(20)).size).toBeLessThanOrEqual(2);
  });

  it('leaves less to those who come later, and keeps the last twentieth for those who hold none', () => {
    const room = createSharedRoom(500);
    expect(['a', 'b', 'c', 'd'].map((tenant) => fill(room, tenant))).toEqual([400, 75, 1, 1]);
    for (let more = 0; more < 23; more += 1) expect(fill(room, `late${more}`)).toBe(1);
    expect([room.free(), room.mayTake('one too many')]).toEqual([0, false]);
    room.take('a', -1);
    expect([room.mayTake('a'), room.mayTake('one too many')]).toEqual([false, true]);
  });

  it('always has some for a tenant that holds none, while no more than a twentieth of its size in others hold some', () => {
    const step = fc.record({ tenant: fc.nat(40), gives: fc.boolean(), times: fc.integer({ min: 1, max: 60 }) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), fc.array(step, { maxLength: 120 }), (size, steps) => {
        const room = createSharedRoom(size);
        for (const { tenant, gives, times } of steps) {
          const name = `t${tenant}`;
          for (let time = 0; time < times; time += 1) {
            if (gives && room.held(name) > 0) room.take(name, -1);
            else if (!gives && room.mayTake(name)) room.take(name);
          }
          const holders = [...room.usage()].length;
          if (holders <= room.newcomers) expect(room.mayTake('newcomer')).toBe(true);
          expect(room.free()).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('says how much more a tenant may take, as taking one after the other would show', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.array(fc.nat(200), { maxLength: 6 }), (size, others) => {
        const room = createSharedRoom(size);
        others.forEach((wanted, at) => {
          for (let took = 0; took < wanted && room.mayTake(`o${at}`); took += 1) room.take(`o${at}`);
        });
        for (const tenant of ['o0', 'newcomer']) {
          const said = room.roomFor(tenant);
          const had = room.held(tenant);
          expect(room.shareOf(tenant)).toBe(had + said);
          expect(fill(room, tenant) - had).toBe(said);
        }
      }),
    );
  });

  it('counts what is larger than one, and takes a single thing that is larger than all of it', () => {
    const room = createSharedRoom(100);
    expect(room.mayTake('a', 5_000)).toBe(true);
    room.take('a', 50);
    expect([room.mayTake('a', 45), room.mayTake('a', 46), room.mayTake('b', 50), room.mayTake('b', 51)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});
