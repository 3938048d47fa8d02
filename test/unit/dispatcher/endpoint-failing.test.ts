import fc from 'fast-check';
import { createManualClock, formatMicros, parseRfc3339 } from '#lib/clock';
import { AppError } from '#lib/errors';
import { silentLogger } from '#lib/log';
import type { Query } from '#lib/postgres';
import { createEndpointFailing } from '../../../services/dispatcher/endpoints/endpoint-failing.ts';
import { startMicros } from './fixtures.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const failingMs = 5 * day;

/** One endpoint's row, the list of endpoints that is read from it, and the processes that send to it, one after the other. */
function createWorld() {
  const clock = createManualClock();
  const row = {
    revision: 1,
    changedAt: startMicros,
    failingSince: null as number | null,
    disabledAt: null as number | null,
  };
  let isAway = false;
  let writes = 0;
  const nowMicros = (): number => clock.nowMs() * 1_000;
  const change = (): void => void (row.changedAt = Math.max(nowMicros(), row.changedAt + 1));
  const answer = (revision: number, since: string | null): { changed_at: string }[] => {
    if (isAway) throw new AppError('store_unavailable', 'away');
    if (revision !== row.revision || row.disabledAt !== null) return [];
    writes += 1;
    row.failingSince = since === null ? null : (parseRfc3339(since) ?? Number.NaN);
    change();
    return [{ changed_at: formatMicros(row.changedAt) }];
  };
  const postgres: Query = {
    query: async <T extends object>(_text: string, values: readonly unknown[] = []) =>
      answer(values[2] as number, values[3] as string | null) as unknown as T[],
  };
  const startProcess = () =>
    createEndpointFailing({
      postgres,
      disableEndpoint: async ({ revision }, why) => {
        if (isAway) return false;
        if (why.reason !== 'failing' || revision !== row.revision || why.since !== row.failingSince) return true;
        row.disabledAt = nowMicros();
        change();
        return true;
      },
      failingMs,
      clock,
      log: silentLogger,
    });
  let process = startProcess();
  let seen = { ...row };
  const read = (): void => void (seen = { ...row });
  /** A second in which what is to be written is, and the list is read. */
  const settle = async (): Promise<void> => {
    await process.settle().catch(() => undefined);
    await clock.advance(1_000);
    if (!isAway) read();
  };
  return {
    clock,
    row,
    settle,
    send: (taken: boolean, revision = seen.revision) =>
      process.observe({ tenant: 'acme', id: 'ep_1', ...seen, revision }, taken),
    async sends(taken: boolean, forMs: number, everyMs: number): Promise<void> {
      for (let atMs = 0; atMs < forMs; atMs += everyMs) {
        this.send(taken);
        await settle();
        await clock.advance(everyMs - 1_000);
        await settle();
      }
    },
    restart: () => void (process = startProcess()),
    /** Its partition comes to another process, and with what this gives back to the one before. */
    move() {
      const before = process;
      process = startProcess();
      return () => void (process = before);
    },
    changeByPerson() {
      row.revision += 1;
      Object.assign(row, { failingSince: null, disabledAt: null });
      change();
      read();
    },
    away: (away: boolean) => void (isAway = away),
    writes: () => writes,
  };
}

describe('an endpoint', () => {
  it('that takes nothing for five days is disabled, and not before', async () => {
    const world = createWorld();
    await world.sends(false, 5 * day - hour, hour);
    expect(world.row).toMatchObject({ failingSince: startMicros, disabledAt: null });
    expect(world.writes()).toBe(1);
    await world.sends(false, 2 * hour, hour);
    expect(world.row.disabledAt).toBeGreaterThanOrEqual(startMicros + failingMs * 1_000);
  });

  it('that takes one of its events is counted anew', async () => {
    const world = createWorld();
    await world.sends(false, 4 * day, hour);
    world.send(true);
    await world.settle();
    expect(world.row.failingSince).toBeNull();
    await world.sends(false, 4 * day, hour);
    expect(world.row.disabledAt).toBeNull();
    await world.sends(false, 2 * day, hour);
    expect(world.row.disabledAt).not.toBeNull();
  });

  it('is counted on from the column by another process, which watches it for a hundredth of the time first', async () => {
    const world = createWorld();
    await world.sends(false, 6 * hour, hour);
    for (let days = 0; days < 4; days += 1) {
      world.restart();
      await world.sends(false, day, 6 * hour);
    }
    world.restart();
    await world.clock.advance(20 * hour);
    world.send(false);
    await world.settle();
    expect(world.row).toMatchObject({ failingSince: startMicros, disabledAt: null });
    await world.sends(false, 3 * hour, hour);
    expect(world.row.disabledAt).not.toBeNull();
  });

  it('that took something from another process is counted anew when it comes back to the first', async () => {
    const world = createWorld();
    await world.sends(false, 4 * day, hour);
    const moveBack = world.move();
    await world.sends(true, 2 * hour, hour);
    moveBack();
    await world.sends(false, hour, 10 * minute);
    expect(world.row.failingSince).toBeGreaterThan(startMicros + 4 * day * 1_000);
    await world.sends(false, 4 * day, hour);
    expect(world.row.disabledAt).toBeNull();
  });

  it('to which nothing is sent is not failing', async () => {
    const world = createWorld();
    await world.sends(false, hour, 10 * minute);
    await world.clock.advance(10 * day);
    await world.settle();
    expect(world.row.disabledAt).toBeNull();
    await world.sends(false, 4 * day, hour);
    expect(world.row.disabledAt).toBeNull();
  });

  it('that a person has changed is counted anew', async () => {
    const world = createWorld();
    await world.sends(false, 5 * day - hour, hour);
    world.changeByPerson();
    await world.sends(false, 12 * hour, hour);
    // A send to what it was before.
    world.send(true, 1);
    await world.sends(false, 12 * hour, hour);
    expect(world.row).toMatchObject({ disabledAt: null });
    expect(world.row.failingSince).toBeGreaterThan(startMicros + 4 * day * 1_000);
    expect(world.row.failingSince).toBeLessThan(startMicros + 5 * day * 1_000);
  });

  it('that comes and goes costs no write for less than a minute, and two for each failing of more', async () => {
    const world = createWorld();
    for (let round = 0; round < 60; round += 1) {
      await world.sends(false, 30_000, 10_000);
      await world.sends(true, 30_000, 10_000);
    }
    expect(world.writes()).toBe(0);
    for (let round = 0; round < 10; round += 1) {
      await world.sends(false, 2 * minute, 10_000);
      await world.sends(true, minute, 10_000);
    }
    expect(world.writes()).toBe(20);
  });

  it('is cleared once Postgres is back, and not disabled by what it said before', async () => {
    const world = createWorld();
    await world.sends(false, 5 * day - hour, hour);
    world.away(true);
    world.send(true);
    await world.settle();
    await world.sends(false, 6 * hour, hour);
    world.away(false);
    await world.sends(false, 6 * hour, hour);
    expect(world.row.disabledAt).toBeNull();
    expect(world.row.failingSince).toBeGreaterThan(startMicros + 4 * day * 1_000);
  });

  const steps = fc.array(
    fc.record({
      taken: fc.oneof({ weight: 1, arbitrary: fc.constant(true) }, { weight: 12, arbitrary: fc.constant(false) }),
      waitMs: fc.oneof(fc.integer({ min: 0, max: 3 * minute }), fc.integer({ min: 0, max: 20 * hour })),
      restart: fc.oneof({ weight: 1, arbitrary: fc.constant(true) }, { weight: 6, arbitrary: fc.constant(false) }),
      settles: fc.boolean(),
    }),
    { minLength: 20, maxLength: 80 },
  );

  it('is never disabled within five days of anything that it took, however processes come and go', async () => {
    let disabled = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const world = createWorld();
        let takenAt = startMicros;
        for (const { taken, waitMs, restart, settles } of list) {
          world.send(taken);
          if (taken) takenAt = world.clock.nowMs() * 1_000;
          // A process that ends in order writes what it knows: what is killed within the second of a clearing is for the watching.
          if (settles || restart || taken) await world.settle();
          if (restart) world.restart();
          await world.clock.advance(waitMs);
          await world.settle();
          if (world.row.disabledAt === null) continue;
          disabled += 1;
          expect(world.row.disabledAt - takenAt).toBeGreaterThanOrEqual(failingMs * 1_000);
          return;
        }
      }),
      { numRuns: 200 },
    );
    // Fewer would make this test meaningless.
    expect(disabled).toBeGreaterThan(20);
  }, 60_000);
});
