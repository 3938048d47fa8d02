/** From an event's age at a stage to what an ingress knows of its tenant. */
import { createLagReading, createLagReport, type LagStage } from '#lib/lag';
import { AppError, createManualClock, type ManualClock } from '#lib/runtime';

/** Keeps what it is told until it expires. */
function createFakeRedis(clock: ManualClock) {
  const entries = new Map<string, { value: Buffer; expiresAtMs: number }>();
  const fake = {
    isAway: false,
    writes: 0,
    asked: [] as string[][],
    async runScript(_script: string, keys: readonly string[], args: readonly string[]): Promise<unknown> {
      if (fake.isAway) throw new AppError('redis_unavailable', 'the fake is away');
      fake.writes += 1;
      const expiresAtMs = clock.nowMs() + Number(args[0]);
      keys.forEach((key, index) => entries.set(key, { value: Buffer.from(args[index + 1] ?? ''), expiresAtMs }));
      return keys.length;
    },
    async getMany(keys: readonly Buffer[]) {
      if (fake.isAway) throw new AppError('redis_unavailable', 'the fake is away');
      fake.asked.push(keys.map(String));
      return keys.map((key) => {
        const entry = entries.get(String(key));
        return entry !== undefined && entry.expiresAtMs > clock.nowMs() ? entry : undefined;
      });
    },
    write: (key: string, text: string) =>
      entries.set(key, { value: Buffer.from(text), expiresAtMs: clock.nowMs() + 60_000 }),
  };
  return fake;
}

/** @param reporterAheadMs of the clock of the process that reports */
function createWorld({ reporterAheadMs = 0 } = {}) {
  const clock = createManualClock();
  const redis = createFakeRedis(clock);
  const reporterClock = { ...clock, nowMs: () => clock.nowMs() + reporterAheadMs };
  const reportOf = (stage: LagStage = 'delivered') =>
    createLagReport({ redis, prefix: 'test.', stage, clock: reporterClock });
  const reading = createLagReading({ redis, prefix: 'test.', clock });
  return {
    clock,
    redis,
    reportOf,
    report: reportOf(),
    reading,
    /** So many events of each tenant are accepted in each of some intervals. */
    async accept(tenants: Record<string, number>, intervals = 8, between: () => void = () => undefined) {
      const lags: Record<string, number> = {};
      for (let interval = 0; interval < intervals; interval += 1) {
        between();
        for (const [tenant, events] of Object.entries(tenants))
          for (let event = 0; event < events; event += 1) lags[tenant] = reading.lagOf(tenant);
        await clock.advance(250);
      }
      return lags;
    },
  };
}

type World = ReturnType<typeof createWorld>;

/** Events that were received so long ago. */
const note = (
  { clock, report }: Pick<World, 'clock' | 'report'>,
  tenant: string,
  { ageMs, events = 100, partition = 0 }: { ageMs: number; events?: number; partition?: number },
): void => {
  for (let event = 0; event < events; event += 1)
    report.note({ tenant, partition, receivedAt: (clock.nowMs() - ageMs) * 1_000 });
};

it('a tenant’s lag is known to the process that its events come to', async () => {
  const world = createWorld();
  const lags = await world.accept({ acme: 50 }, 8, () => note(world, 'acme', { ageMs: 2_000 }));
  expect(lags.acme).toBeGreaterThan(1_800);
  expect(lags.acme).toBeLessThanOrEqual(2_000);
});

it('nothing is written while events are as quick as usual, and nothing asked while few come', async () => {
  const world = createWorld();
  await world.accept({ acme: 50 }, 8, () => note(world, 'acme', { ageMs: 100 }));
  expect(world.redis.writes).toBe(0);
  const quiet = createWorld();
  await quiet.accept({ acme: 2, other: 9 }, 1);
  expect(quiet.redis.asked).toEqual([]);
});

it('it asks four times a second at most, about the tenants that send, and nobody waits for it', async () => {
  const world = createWorld();
  await world.accept({ acme: 5_000, few: 1 }, 8);
  expect(world.redis.asked.length).toBeLessThanOrEqual(8);
  expect(new Set(world.redis.asked.flat())).toEqual(
    new Set(['received', 'dispatched', 'delivered'].map((stage) => `test.lag:${stage}:acme`)),
  );
});

it('a tenant that sends little is not late by the flood of another, though its events are as old', async () => {
  const world = createWorld();
  const lags = await world.accept({ flood: 50, calm: 50 }, 8, () => {
    note(world, 'flood', { ageMs: 3_000, events: 950 });
    note(world, 'calm', { ageMs: 3_000, events: 50 });
  });
  expect(lags.flood).toBeGreaterThan(2_500);
  expect(lags.calm).toBe(0);
});

it('the stage that is most late counts, and a partition by its events', async () => {
  const world = createWorld();
  const received = world.reportOf('received');
  const lags = await world.accept({ acme: 50 }, 12, () => {
    note({ ...world, report: received }, 'acme', { ageMs: 400 });
    note(world, 'acme', { ageMs: 4_000, events: 75, partition: 1 });
    note(world, 'acme', { ageMs: 0, events: 25, partition: 2 });
  });
  expect(lags.acme).toBeGreaterThan(2_800);
  expect(lags.acme).toBeLessThanOrEqual(3_000);
});

it('a report that is old, lost or not legible is no lag', async () => {
  const world = createWorld();
  await world.accept({ acme: 50 }, 8, () => note(world, 'acme', { ageMs: 2_000 }));
  // Nothing is reported any more.
  expect((await world.accept({ acme: 50 }, 16)).acme).toBeLessThan(250);

  const away = createWorld();
  away.redis.isAway = true;
  expect((await away.accept({ acme: 50 }, 8, () => note(away, 'acme', { ageMs: 2_000 }))).acme).toBe(0);

  const newer = createWorld();
  newer.redis.write('test.lag:delivered:acme', '{"version":2}');
  expect((await newer.accept({ acme: 50 })).acme).toBe(0);
});

it('what was read is forgotten when Redis goes away', async () => {
  const world = createWorld();
  await world.accept({ acme: 50 }, 8, () => note(world, 'acme', { ageMs: 2_000 }));
  world.redis.isAway = true;
  expect((await world.accept({ acme: 50 }, 8)).acme).toBe(0);
});

it('clocks that differ slow nobody down', async () => {
  // The reporter is ahead: all events look old to it, and the ingress knows better.
  const ahead = createWorld({ reporterAheadMs: 529_000 });
  expect((await ahead.accept({ acme: 50 }, 8, () => note(ahead, 'acme', { ageMs: 20 }))).acme).toBeLessThanOrEqual(520);
  const late = createWorld({ reporterAheadMs: 529_000 });
  expect((await late.accept({ acme: 50 }, 8, () => note(late, 'acme', { ageMs: 2_000 }))).acme).toBeGreaterThan(1_800);
  // An ingress is ahead: its events have not been received yet.
  const young = createWorld();
  expect((await young.accept({ acme: 50 }, 8, () => note(young, 'acme', { ageMs: -529_000 }))).acme).toBe(0);
});

it('after a pause, what was noted before it is not reported', async () => {
  const world = createWorld();
  note(world, 'acme', { ageMs: 2_000 });
  await world.clock.advance(60_000);
  note(world, 'acme', { ageMs: 10, events: 1 });
  expect(world.redis.writes).toBe(0);
});

it('a thousand tenants of an interval are remembered, and those beyond them have no lag', async () => {
  const world = createWorld();
  const tenants = Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`t${index}`, 10]));
  await world.accept(tenants, 2);
  expect(Math.max(...world.redis.asked.map((keys) => keys.length))).toBe(3_000);
});
