import fc from 'fast-check';
import { createManualClock } from '#lib/runtime';
import { createSharedRoom } from '#lib/tenancy';
import { createTurns, type LaneClass, turnParts } from '../../../services/dispatcher/lanes/turns.ts';

interface FakeLane {
  name: string;
  tenant: string;
  queued: number;
  class: LaneClass;
  width: number;
  inFlight: number;
  servedAt: number;
  answeredAtMs: number;
}

/** Lanes that send as soon as they may; what is sent ends when the test says so. */
function createWorld(inFlight: number, parts = turnParts) {
  const clock = createManualClock();
  const room = createSharedRoom(inFlight);
  const turns = createTurns<FakeLane>(room, clock, parts);
  const served: string[] = [];
  const lanes: FakeLane[] = [];
  const place = (lane: FakeLane): void =>
    turns.place(lane, {
      tenant: lane.tenant,
      wantsTurn: lane.queued > 0 && lane.inFlight < lane.width,
      class: lane.class,
      inFlight: lane.inFlight,
      answeredAtMs: lane.answeredAtMs,
    });
  const pump = (): void => {
    for (let lane = turns.next(); lane !== undefined; lane = turns.next()) {
      lane.inFlight += 1;
      lane.queued -= 1;
      lane.servedAt = served.push(lane.name);
      place(lane);
    }
  };
  return {
    clock,
    room,
    served,
    lanes,
    add(name: string, facts: Partial<FakeLane> = {}): FakeLane {
      const lane = {
        name,
        tenant: 'acme',
        queued: 100,
        class: 'healthy' as const,
        width: 10,
        inFlight: 0,
        servedAt: 0,
        answeredAtMs: Number.NEGATIVE_INFINITY,
        ...facts,
      };
      lanes.push(lane);
      place(lane);
      pump();
      return lane;
    },
    end(lane: FakeLane, changes: Partial<FakeLane> = {}): void {
      Object.assign(lane, { inFlight: lane.inFlight - 1 }, changes);
      place(lane);
      pump();
    },
    change(lane: FakeLane, changes: Partial<FakeLane>): void {
      Object.assign(lane, changes);
      place(lane);
      pump();
    },
    inFlight: (only: (lane: FakeLane) => boolean = () => true): number =>
      lanes.filter(only).reduce((sum, lane) => sum + lane.inFlight, 0),
  };
}

describe('turns', () => {
  const now = (): number => createManualClock().monotonicMs();

  it('leave places to lanes that have none, however many others want more', () => {
    const { add, inFlight } = createWorld(500);
    for (let at = 0; at < 50; at += 1) add(`hanging${at}`);
    // A quarter of the 400 that the tenant may have alone, and the first place of each lane that came too late for more.
    expect(inFlight()).toBe(100 + 40);
    for (let at = 0; at < 260; at += 1) expect(add(`other${at}`).inFlight).toBe(1);
    expect(add('one too many').inFlight).toBe(0);
  });

  it('would not, without that limit', () => {
    const { add } = createWorld(500, { ...turnParts, unproven: 1, answering: 1 });
    for (let at = 0; at < 50; at += 1) add(`hanging${at}`);
    expect(add('healthy').inFlight).toBe(0);
  });

  it('leave places to another tenant, however many lanes a first one has that each hold one', () => {
    const { add, inFlight } = createWorld(500);
    for (let at = 0; at < 600; at += 1) add(`slow${at}`);
    expect(inFlight()).toBe(400);
    for (let at = 0; at < 75; at += 1) expect(add(`other${at}`, { tenant: 'other', width: 1 }).inFlight).toBe(1);
    expect(add('of a third', { tenant: 'third' }).inFlight).toBe(1);
  });

  it('find a place at once for a tenant that has none, while a twentieth of the places in others have some', () => {
    const lane = fc.record({ tenant: fc.nat(30), width: fc.integer({ min: 1, max: 20 }), answers: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 500 }), fc.array(lane, { maxLength: 400 }), (cap, lanes) => {
        const { add, room } = createWorld(cap);
        for (const [at, { tenant, width, answers }] of lanes.entries()) {
          const had = room.held(`t${tenant}`);
          const others = [...room.usage()].length;
          const answeredAtMs = answers ? now() : Number.NEGATIVE_INFINITY;
          const { inFlight } = add(`lane${at}`, { tenant: `t${tenant}`, width, answeredAtMs });
          if (had === 0 && others <= room.newcomers) expect(inFlight).toBeGreaterThan(0);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('go from tenant to tenant where all places are taken, whatever the number of their lanes', () => {
    const { add, end, served } = createWorld(40, turnParts);
    const hanging = Array.from({ length: 40 }, (_, at) => add(`hangs${at}`, { tenant: `t${at}`, width: 1, queued: 1 }));
    for (let at = 0; at < 30; at += 1) add(`many${at}`, { tenant: 'many', width: 1 });
    for (let at = 0; at < 6; at += 1) add(`few${at}`, { tenant: 'few', width: 1 });
    served.splice(0);
    for (const lane of hanging.slice(0, 8)) end(lane);
    // Each has its first at once, and more as soon as more is free than what is kept for others.
    expect(served).toEqual(['many0', 'few0', 'many1', 'few1', 'many2', 'few2']);
  });

  it('go further, to three quarters, with lanes whose endpoints have answered within a second', async () => {
    const { add, inFlight, clock, end } = createWorld(125);
    const lanes = Array.from({ length: 20 }, (_, at) => add(`busy${at}`, { answeredAtMs: now() }));
    expect(inFlight()).toBe(75 + 12);
    await clock.advance(1_000);
    // No endpoint has answered since, so only first places replace what ends.
    for (const lane of lanes) while (lane.inFlight > 1) end(lane);
    expect(lanes.map((lane) => lane.inFlight).reduce((a, b) => a + b)).toBe(25);
  });

  it('give sick lanes half of the share at the most, those counted that were begun before they were sick', () => {
    const { add, change, end, inFlight } = createWorld(125);
    const grown = Array.from({ length: 7 }, (_, at) => add(`a${at}`, { answeredAtMs: now() }));
    expect(inFlight()).toBe(70);
    for (const lane of grown) change(lane, { class: 'sick' });
    expect(add('sick', { class: 'sick' }).inFlight).toBe(0);
    expect(add('healthy').inFlight).toBeGreaterThan(0);
    for (let ended = 0; ended < 21; ended += 1) end(grown[ended % 7] as FakeLane, { queued: 0 });
    expect(inFlight((lane) => lane.class === 'sick')).toBe(50);
  });

  it('give slow lanes three quarters of the share at the most, together with sick ones, and quick ones the rest', () => {
    const { add, inFlight } = createWorld(125);
    for (let at = 0; at < 60; at += 1) add(`slow${at}`, { class: 'slow', width: 1 });
    for (let at = 0; at < 60; at += 1) add(`sick${at}`, { class: 'sick', width: 1 });
    expect(inFlight()).toBe(75);
    for (let at = 0; at < 25; at += 1) expect(add(`quick${at}`).inFlight).toBe(1);
  });

  it('give a tenant whose lanes are slow less as another comes, and more again as that one goes', () => {
    const { add, end, inFlight } = createWorld(500);
    const slow = Array.from({ length: 100 }, (_, at) => add(`slow${at}`, { class: 'slow', answeredAtMs: now() }));
    const ofOne = (): number => inFlight(({ tenant }) => tenant === 'acme');
    const others = Array.from({ length: 75 }, (_, at) => add(`other${at}`, { tenant: 'other', width: 1 }));
    const alone = ofOne();
    for (const lane of slow) if (lane.inFlight > 0) end(lane);
    expect(ofOne()).toBeLessThanOrEqual(alone);
    for (const lane of others) end(lane, { queued: 0 });
    for (const lane of slow) if (lane.inFlight > 0) end(lane);
    expect(ofOne()).toBe(alone);
  });

  it('take turns between sick, slow and healthy lanes where all want the next place', () => {
    const { add, end, served } = createWorld(5);
    const first = Array.from({ length: 4 }, (_, at) => add(`first${at}`, { width: 1, queued: 1 }));
    for (const kind of ['healthy', 'slow', 'sick'] as const)
      for (const at of [1, 2, 3]) add(`${kind}${at}`, { width: 1, queued: 1, class: kind });
    served.splice(0);
    for (const lane of first.slice(0, 3)) end(lane);
    expect([...served].sort()).toEqual(['healthy1', 'sick1', 'slow1']);
  });

  it('come to every lane that wants one, within the ends of as many sends as there are lanes, whatever the others do', () => {
    const lane = fc.record({
      class: fc.constantFrom<LaneClass>('healthy', 'slow', 'sick'),
      width: fc.integer({ min: 1, max: 12 }),
      tenant: fc.constantFrom('acme', 'acme', 'other'),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(lane, { minLength: 1, maxLength: 60 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 50 }),
        (cap, facts, choices) => {
          const world = createWorld(cap);
          facts.forEach((fact, at) => world.add(`lane${at}`, { ...fact, queued: 1e9 }));
          const kinds = (['healthy', 'slow', 'sick'] as const).flatMap((kind) =>
            ['acme', 'other'].map((tenant) => ({ kind, tenant })),
          );
          // Any send in flight ends, but each kind in its turn: only a sick send frees a sick place.
          for (let ends = 0; ends < kinds.length * (3 * facts.length + cap); ends += 1) {
            const { kind, tenant } = kinds[ends % kinds.length] as (typeof kinds)[number];
            const busy = world.lanes.filter(
              (lane) => lane.inFlight > 0 && lane.class === kind && lane.tenant === tenant,
            );
            const chosen = busy[(choices[ends % choices.length] ?? 0) % busy.length];
            // The one that has waited longest with a place ends: choices shift which.
            const [oldest] = [...busy].sort((a, b) => a.servedAt - b.servedAt);
            const lane = ends % 7 === 0 ? chosen : oldest;
            if (lane !== undefined) world.end(lane);
            expect(world.inFlight()).toBeLessThanOrEqual(cap);
            expect(world.lanes.some(({ inFlight, width }) => inFlight > width)).toBe(false);
          }
          expect(new Set(world.served).size).toBe(facts.length);
        },
      ),
      { numRuns: 40 },
    );
  });
});
