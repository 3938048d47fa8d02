import { AppError, createManualClock, type ManualClock, type Part, silentLogger } from '#lib/runtime';
import { createSweep } from '../../../services/dedup/sweep.ts';

let clock: ManualClock;
let left: number;
let away: boolean;
let asked: number;
let sweep: Part;
beforeEach(() => {
  clock = createManualClock();
  [left, away, asked] = [0, false, 0];
  sweep = createSweep({
    clock,
    log: silentLogger,
    dropExpired: async (limit) => {
      asked += 1;
      if (away) throw new AppError('store_unavailable', 'away');
      const dropped = Math.min(limit, left);
      left -= dropped;
      return dropped;
    },
  });
});
afterEach(() => sweep.stop());

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

describe('the sweep of expired keys', () => {
  it('drops all there is, a limited number at once, and looks again a minute later', async () => {
    left = 2_500;
    await sweep.start();
    await turns();
    expect([left, asked]).toEqual([0, 3]);
    left = 10;
    await clock.advance(59_000);
    expect(left).toBe(10);
    await clock.advance(1_000);
    expect(left).toBe(0);
  });

  it('outlives a database that is away', async () => {
    away = true;
    left = 10;
    await sweep.start();
    await turns();
    away = false;
    await clock.advance(60_000);
    expect(left).toBe(0);
  });

  it('ends when it is stopped', async () => {
    await sweep.start();
    await sweep.stop();
    const before = asked;
    await clock.advance(3_600_000);
    expect(asked).toBe(before);
  });
});
