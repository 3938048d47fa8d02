import fc from 'fast-check';
import type { Pause } from '#lib/contract';
import { AppError, createManualClock, formatMicros, silentLogger } from '#lib/runtime';
import { createEndpointFailing } from '../../../services/dispatcher/endpoints/endpoint-failing.ts';
import type { FailingTable } from '../../../services/dispatcher/endpoints/failing-table.ts';
import { startMicros } from './fixtures.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const failingMs = 5 * day;

/** One endpoint's row, the list of endpoints that is read from it, and the processes that send to it, one after the other. */
function createWorld({ isAskedFor = false } = {}) {
  const clock = createManualClock();
  const row = {
    revision: 1,
    changedAt: startMicros,
    failingSince: null as number | null,
    outageSince: null as number | null,
    disabledAt: null as number | null,
    pauses: [] as Pause[],
  };
  let isAway = false;
  let writes = 0;
  let isAsked = isAskedFor;
  const nowMicros = (): number => clock.nowMs() * 1_000;
  const change = (): void => void (row.changedAt = Math.max(nowMicros(), row.changedAt + 1));
  const announced: { kind: 'failing' | 'recovered' | 'disabling_soon'; since: number | null }[] = [];
  /** The row after an update; undefined if the update finds none. */
  const update = (revision: number, columns: Partial<typeof row>): { changed_at: string } | undefined => {
    if (isAway) throw new AppError('store_unavailable', 'away');
    if (revision !== row.revision || row.disabledAt !== null) return undefined;
    writes += 1;
    Object.assign(row, columns);
    change();
    return { changed_at: formatMicros(row.changedAt) };
  };
  const table: FailingTable = {
    setFailingSince: async ({ revision }, since) => update(revision, { failingSince: since }),
    async beginOutage({ revision }, { since }) {
      if (row.outageSince !== null) return undefined;
      const begun = update(revision, { outageSince: since });
      if (begun !== undefined) announced.push({ kind: 'failing', since });
      return begun;
    },
    async endOutage({ revision }) {
      const since = row.outageSince;
      if (since === null) return undefined;
      const ended = update(revision, { failingSince: null, outageSince: null });
      if (ended !== undefined) announced.push({ kind: 'recovered', since });
      return ended;
    },
    async announceDisabling({ revision }, { since }) {
      if (isAway) throw new AppError('store_unavailable', 'away');
      if (revision === row.revision && since === row.failingSince) announced.push({ kind: 'disabling_soon', since });
    },
  };
  const startProcess = () =>
    createEndpointFailing({
      table,
      isAskedFor: () => isAsked,
      disableEndpoint: async ({ revision }, why) => {
        if (isAway) return false;
        if (why.reason !== 'failing' || revision !== row.revision || why.since !== row.failingSince) return true;
        Object.assign(row, { disabledAt: nowMicros(), outageSince: null });
        change();
        return true;
      },
      pausesOf: () => row.pauses,
      readPauses: () => undefined,
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
    announced: () => announced.map(({ kind }) => kind),
    announcements: announced,
    askFor: () => void (isAsked = true),
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

  it('that is paused fails no longer by it, and no less', async () => {
    const world = createWorld();
    await world.sends(false, 2 * day, hour);
    const from = world.clock.nowMs() * 1_000;
    world.row.pauses.push({ from, until: from + 10 * day * 1_000 });
    await world.clock.advance(10 * day);
    await world.settle();
    await world.sends(false, 3 * day - 2 * hour, hour);
    expect(world.row).toMatchObject({ failingSince: startMicros, disabledAt: null });
    await world.sends(false, 3 * hour, hour);
    expect(world.row.disabledAt).toBeGreaterThanOrEqual(startMicros + 15 * day * 1_000);
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
  });
});

describe('an outage of an endpoint', () => {
  it('is announced once after three failed attempts and ten minutes without a success, and its recovery once', async () => {
    const world = createWorld({ isAskedFor: true });
    await world.sends(false, 9 * minute, minute);
    expect(world.announced()).toEqual([]);
    await world.sends(false, 2 * hour, minute);
    expect(world.announcements).toEqual([{ kind: 'failing', since: startMicros }]);
    await world.sends(true, hour, minute);
    expect(world.announced()).toEqual(['failing', 'recovered']);
    expect(world.row).toMatchObject({ failingSince: null, outageSince: null });
    await world.sends(false, hour, minute);
    expect(world.announced()).toEqual(['failing', 'recovered', 'failing']);
  });

  it('is not announced for two failed attempts, nor for an endpoint that takes something now and then', async () => {
    const world = createWorld({ isAskedFor: true });
    await world.sends(false, 30 * minute, 15 * minute);
    expect(world.announced()).toEqual([]);
    world.send(true);
    for (let round = 0; round < 20; round += 1) {
      await world.sends(false, 9 * minute, minute);
      await world.sends(true, minute, minute);
    }
    expect(world.announced()).toEqual([]);
  });

  it('is carried on by another process, and through changes by a user', async () => {
    const world = createWorld({ isAskedFor: true });
    await world.sends(false, hour, minute);
    world.restart();
    await world.sends(false, hour, minute);
    world.changeByPerson();
    await world.sends(false, hour, minute);
    expect(world.announced()).toEqual(['failing']);
    world.restart();
    await world.sends(true, minute, minute);
    expect(world.announced()).toEqual(['failing', 'recovered']);
  });

  it('that nobody asks for is not written; who asks during it is told, and of its recovery', async () => {
    const world = createWorld();
    await world.sends(false, hour, minute);
    expect([world.writes(), world.row.outageSince]).toEqual([1, null]);
    world.askFor();
    await world.sends(false, 2 * minute, minute);
    await world.sends(true, minute, minute);
    expect(world.announced()).toEqual(['failing', 'recovered']);
  });

  it('is announced a day before it disables the endpoint, once', async () => {
    const world = createWorld({ isAskedFor: true });
    await world.sends(false, 4 * day - 7 * hour, 6 * hour);
    expect(world.announced()).toEqual(['failing']);
    await world.sends(false, 12 * hour, 6 * hour);
    world.restart();
    await world.sends(false, 2 * day, 6 * hour);
    expect(world.row.disabledAt).not.toBeNull();
    // The next owner announces it again; deduplication knows it by its episode.
    expect(new Set(world.announced())).toEqual(new Set(['failing', 'disabling_soon']));
    expect(new Set(world.announcements.map(({ since }) => since))).toEqual(new Set([startMicros]));
  });
});
