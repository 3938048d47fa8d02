import fc from 'fast-check';
import { createManualClock } from '#lib/clock';
import { createTurns, turnLimitsOf, type TurnLimits } from '../../../services/dispatcher/turns.ts';

interface FakeLane {
  name: string;
  queued: number;
  sick: boolean;
  width: number;
  inFlight: number;
  servedAt: number;
  answeredAtMs: number;
}

/** Lanes that send as soon as they may; what is sent ends when the test says so. */
function createWorld(limits: TurnLimits) {
  const clock = createManualClock();
  const turns = createTurns<FakeLane>(limits, clock);
  const served: string[] = [];
  const lanes: FakeLane[] = [];
  const place = (lane: FakeLane): void =>
    turns.place(lane, {
      wantsTurn: lane.queued > 0 && lane.inFlight < lane.width,
      sick: lane.sick,
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
    served,
    lanes,
    add(name: string, facts: Partial<FakeLane> = {}): FakeLane {
      const lane = {
        name,
        queued: 100,
        sick: false,
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
    const { add, inFlight } = createWorld(turnLimitsOf(500));
    for (let at = 0; at < 50; at += 1) add(`hanging${at}`);
    // A quarter, and the first place of each lane that came too late for more.
    expect(inFlight()).toBe(125 + 37);
    for (let at = 0; at < 338; at += 1) expect(add(`other${at}`).inFlight).toBe(1);
    expect(add('one too many').inFlight).toBe(0);
  });

  it('would not, without that limit', () => {
    const { add } = createWorld({ ...turnLimitsOf(500), forUnproven: 500, forAnswering: 500 });
    for (let at = 0; at < 50; at += 1) add(`hanging${at}`);
    expect(add('healthy').inFlight).toBe(0);
  });

  it('go further, to three quarters, with lanes whose endpoints have answered within a second', async () => {
    const { add, inFlight, clock, end } = createWorld(turnLimitsOf(100));
    const lanes = Array.from({ length: 20 }, (_, at) => add(`busy${at}`, { answeredAtMs: now() }));
    expect(inFlight()).toBe(75 + 12);
    await clock.advance(1_000);
    // None has answered since: what ends is replaced by a first place alone.
    for (const lane of lanes) while (lane.inFlight > 1) end(lane);
    expect(lanes.map((lane) => lane.inFlight).reduce((a, b) => a + b)).toBe(25);
  });

  it('give sick lanes half of all places at the most, those counted that were begun before they were sick', () => {
    const { add, change, end, inFlight } = createWorld(turnLimitsOf(100));
    const grown = Array.from({ length: 7 }, (_, at) => add(`a${at}`, { answeredAtMs: now() }));
    expect(inFlight()).toBe(70);
    for (const lane of grown) change(lane, { sick: true });
    expect(add('sick', { sick: true }).inFlight).toBe(0);
    expect(add('healthy').inFlight).toBeGreaterThan(0);
    for (let ended = 0; ended < 21; ended += 1) end(grown[ended % 7] as FakeLane, { queued: 0 });
    expect(inFlight(({ sick }) => sick)).toBe(50);
  });

  it('take turns between sick and healthy lanes where both want the next place', () => {
    const { add, end, served } = createWorld(turnLimitsOf(2));
    const first = add('first', { width: 1, queued: 1 });
    const second = add('second', { width: 1, queued: 1 });
    for (const name of ['h1', 'h2', 'h3']) add(name, { width: 1, queued: 1 });
    for (const name of ['s1', 's2', 's3']) add(name, { width: 1, queued: 1, sick: true });
    const lanes = new Map([first, second].map((lane) => [lane.name, lane]));
    served.splice(0);
    end(first);
    end(second);
    expect([...served].sort()).toEqual(['h1', 's1']);
    expect(lanes.size).toBe(2);
  });

  it('come to every lane that wants one, within the ends of as many sends as there are lanes, whatever the others do', () => {
    const lane = fc.record({ sick: fc.boolean(), width: fc.integer({ min: 1, max: 12 }) });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(lane, { minLength: 1, maxLength: 60 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 50 }),
        (cap, facts, choices) => {
          const world = createWorld(turnLimitsOf(cap));
          facts.forEach((fact, at) => world.add(`lane${at}`, { ...fact, queued: 1e9 }));
          // Of those in flight any ends, but each kind in its turn: a sick place is freed by a sick send alone.
          for (let ends = 0; ends < 6 * facts.length + 2 * cap; ends += 1) {
            const busy = world.lanes.filter(({ inFlight, sick }) => inFlight > 0 && sick === (ends % 2 === 0));
            const chosen = busy[(choices[ends % choices.length] ?? 0) % busy.length];
            // The one that has waited longest with a place ends: choices shift which.
            const oldest = [...busy].sort(
              (a, b) => world.served.lastIndexOf(a.name) - world.served.lastIndexOf(b.name),
            );
            const lane = ends % 3 === 0 ? chosen : oldest[0];
            if (lane !== undefined) world.end(lane);
            expect(world.inFlight()).toBeLessThanOrEqual(cap);
            expect(world.inFlight(({ sick }) => sick)).toBeLessThanOrEqual(Math.max(1, Math.floor(cap / 2)));
            expect(world.lanes.some(({ inFlight, width }) => inFlight > width)).toBe(false);
          }
          expect(new Set(world.served).size).toBe(facts.length);
        },
      ),
      { numRuns: 40 },
    );
  });
});
