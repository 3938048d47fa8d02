import { createLeaderLanes } from '../../../libs/kafka/producing/leader-lanes.ts';
import type { ProduceLane } from '../../../libs/kafka/producing/produce-lane.ts';

function setUp() {
  const made: {
    inFlightMs: number;
    dispersed: number;
    closed: boolean;
    retired: boolean;
    lane: ProduceLane;
    giveUp(): void;
  }[] = [];
  const createLane = (giveUp: () => void): ProduceLane => {
    const state = { inFlightMs: 0, dispersed: 0, closed: false, retired: false, giveUp };
    const lane: ProduceLane = {
      add: () => undefined,
      hurry: () => undefined,
      disperse: () => void (one.dispersed += 1),
      load: () => 0,
      inFlightMs: () => one.inFlightMs,
      connect: async () => undefined,
      retire: () => void (one.retired = true),
      close: async () => void (one.closed = true),
    };
    const one = Object.assign(state, { lane });
    made.push(one);
    return lane;
  };
  return { made, lanes: createLeaderLanes(createLane) };
}

test('all partitions share a connection, but for those that go alone', () => {
  const { made, lanes } = setUp();
  expect(lanes.of('t/0', false)).toBe(lanes.of('u/1', false));
  const own = lanes.of('t/0', true);
  expect(own).not.toBe(lanes.of('u/1', false));
  expect(lanes.of('t/0', true)).toBe(own);
  expect(lanes.of('u/1', true)).not.toBe(own);
  expect(made).toHaveLength(3);
});

test('a partition that goes with the others again leaves no connection behind', () => {
  const { made, lanes } = setUp();
  lanes.of('t/0', true);
  expect(lanes.of('t/0', false)).toBe(made[0]?.lane);
  expect(made.map(({ closed }) => closed)).toEqual([false, true]);
});

test('while a leader takes long over a request, who waits for it uses a second connection', () => {
  const { made, lanes } = setUp();
  lanes.disperseSlow();
  expect([made[0]?.dispersed, lanes.slowForMs()]).toEqual([0, 0]);
  if (made[0] !== undefined) made[0].inFlightMs = 201;
  lanes.disperseSlow();
  expect([made[0]?.dispersed, lanes.slowForMs()]).toEqual([1, 201]);
  const spare = lanes.of('t/0', false);
  expect(spare).not.toBe(made[0]?.lane);
  expect(lanes.of('t/1', false)).toBe(spare);
  if (made[0] !== undefined) made[0].inFlightMs = 0;
  expect(lanes.of('t/0', false)).toBe(made[0]?.lane);
});

test('all are dispersed where the leader may have changed, and all are closed', async () => {
  const { made, lanes } = setUp();
  lanes.of('t/0', true);
  lanes.disperse();
  await lanes.close();
  expect(made.map(({ dispersed, closed }) => [dispersed, closed])).toEqual([
    [1, true],
    [1, true],
  ]);
});

test('a lane whose request some have given up is replaced for all that is sent from then on', () => {
  const { made, lanes } = setUp();
  const first = lanes.of('t/0', false);
  made[0]?.giveUp();
  expect(lanes.of('t/0', false)).not.toBe(first);
  expect(made.map(({ retired }) => retired)).toEqual([true, false]);
  if (made[1] !== undefined) made[1].inFlightMs = 201;
  const spare = lanes.of('t/0', false);
  made[2]?.giveUp();
  expect(lanes.of('t/0', false)).not.toBe(spare);
  expect(made.map(({ retired }) => retired)).toEqual([true, false, true, false]);
});
