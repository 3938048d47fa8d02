import { AppError, createManualClock, type ManualClock, silentLogger } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { createIngressMetrics } from '../../../services/ingress/metrics.ts';
import { createRejectionLog, type RejectionLog } from '../../../services/ingress/rejections/rejection-log.ts';
import type { RejectionRow } from '../../../services/ingress/rejections/rejection-row.ts';
import { rejectionOf } from './rejections.ts';

let clock: ManualClock;
let metrics: Metrics;
let rejections: RejectionLog;
/** Every writing that was tried, and every one that succeeded. */
let tried: string[][];
let written: string[][];
let trimmed: string[][];
let sweeps: number[];
let leftToSweep: number;
/** Source, code and count. */
let counted: [string, string, number][];
let isCountingAway: boolean;
let fault: ((rows: readonly RejectionRow[]) => AppError | undefined) | undefined;

beforeEach(async () => {
  clock = createManualClock();
  metrics = new Metrics();
  [tried, written, trimmed, sweeps, leftToSweep, fault] = [[], [], [], [], 0, undefined];
  [counted, isCountingAway] = [[], false];
  rejections = createRejectionLog({
    table: {
      count: async (rows) => {
        if (isCountingAway) throw away();
        counted.push(...rows.map((row): [string, string, number] => [row.source_id, row.outcome, row.rejected]));
      },
      insert: async (rows) => {
        tried.push(rows.map(({ id }) => id));
        const error = fault?.(rows);
        if (error !== undefined) throw error;
        written.push(rows.map(({ id }) => id));
      },
      trim: async (rows, keep) => {
        expect(keep).toBe(100);
        trimmed.push(rows.map(({ source_id: sourceId }) => sourceId));
      },
      sweep: async (days) => {
        sweeps.push(days);
        return (leftToSweep -= 1) > 0;
      },
    },
    retentionDays: 7,
    clock,
    log: silentLogger,
    metrics: createIngressMetrics(metrics, { records: () => 0, maxRecords: 0 }),
  });
  await rejections.start();
});
afterEach(() => rejections.stop());

const record = (...ids: string[]): void =>
  ids.forEach((id) => rejections.record(rejectionOf({ id, sourceId: `src_of_${id}` })));
const droppedCount = async (): Promise<number> =>
  (await metrics.getMetricsAsJSON()).find(({ name }) => name.endsWith('rejections_dropped_total'))?.values[0]?.value ??
  0;

const away = (): AppError => new AppError('store_unavailable', 'as the test wants it');

test('every rejection is counted once, also those that are dropped, and those from while Postgres was away', async () => {
  isCountingAway = true;
  record(...Array.from({ length: 7 }, () => 'a'));
  await clock.advance(1_000);
  isCountingAway = false;
  record('a', 'b');
  await clock.advance(10_000);
  const { code } = rejectionOf({ id: 'a' });
  expect(counted).toEqual([
    ['src_of_a', code, 8],
    ['src_of_b', code, 1],
  ]);
  expect(await droppedCount()).toBeGreaterThan(0);
});

describe('the log of rejections', () => {
  test('writes what came within a second together, and trims the sources of it', async () => {
    record('a', 'b');
    expect(tried).toEqual([]);
    await clock.advance(1_000);
    record('c');
    await clock.advance(1_000);
    expect(written).toEqual([['a', 'b'], ['c']]);
    expect(trimmed).toEqual([['src_of_a', 'src_of_b'], ['src_of_c']]);
  });

  test('writes nothing where nothing came', async () => {
    await clock.advance(10_000);
    expect(tried).toEqual([]);
  });

  test('writes 200 a second at the most', async () => {
    record(...Array.from({ length: 450 }, (_, index) => String(index)));
    await clock.advance(3_000);
    expect(written.map(({ length }) => length)).toEqual([200, 200, 50]);
  });

  test('keeps what can’t be written while Postgres is away, asks it seldom, and writes each once when it is back', async () => {
    fault = away;
    record('a', 'b');
    await clock.advance(61_000);
    expect(tried.length).toBeGreaterThan(5);
    expect(tried.length).toBeLessThan(15);
    record('c');
    fault = undefined;
    await clock.advance(10_000);
    expect(written.flat().sort()).toEqual(['a', 'b', 'c']);
    expect(await droppedCount()).toBe(0);
  });

  test('of more than it can keep meanwhile, the newest are written, and the others are counted', async () => {
    fault = away;
    const ids = Array.from({ length: 1_500 }, (_, index) => String(index));
    record(...ids);
    await clock.advance(30_000);
    fault = undefined;
    await clock.advance(30_000);
    expect(new Set(written.flat())).toEqual(new Set(ids.slice(500)));
    expect(await droppedCount()).toBe(500);
  });

  test('one that can’t be written, ever, takes no other with it', async () => {
    fault = (rows) =>
      rows.some(({ id }) => id === 'b') ? new AppError('data_invalid', 'as the test wants it') : undefined;
    record('a', 'b', 'c');
    await clock.advance(10_000);
    expect(written).toEqual([['a'], ['c']]);
    expect(await droppedCount()).toBe(1);
  });

  test('writes what is left when it is stopped', async () => {
    record('a');
    await rejections.stop();
    expect(written).toEqual([['a']]);
  });

  test('stops all the same where Postgres is away', async () => {
    fault = away;
    record('a');
    await rejections.stop();
    expect(tried).toEqual([['a']]);
  });

  test('sweeps old ones at its start and every ten minutes, as long as there are some', async () => {
    leftToSweep = 3;
    await clock.advance(1_000);
    expect(sweeps).toEqual([7, 7, 7]);
    await clock.advance(599_000);
    expect(sweeps).toHaveLength(3);
    await clock.advance(2_000);
    expect(sweeps).toHaveLength(4);
  });
});
