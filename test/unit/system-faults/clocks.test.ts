import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClocks } from '../../faults/system/clocks.ts';
import { waitUntil } from '../../support/wait-until.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hookline-clocks-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const minuteMs = 60_000;

it('has a process take another time for the right one while it runs, and its other clocks go on', async () => {
  const clocks = createClocks(dir);
  const script = `setInterval(() => console.log(JSON.stringify({
    now: Date.now(), made: new Date().getTime(), told: Date.parse(Date()), given: new Date(5).getTime(),
    isDate: new Date() instanceof Date, steady: performance.now() })), 20)`;
  const child = spawn(process.execPath, ['-e', script], { env: { ...clocks.envOf('api') } });
  let latest: Record<string, number> = {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    latest = JSON.parse(line) as Record<string, number>;
  });
  const isOffBy = (stepMs: number): boolean =>
    [latest.now, latest.made, latest.told].every(
      (each) => each !== undefined && Math.abs(each - Date.now() - stepMs) < minuteMs,
    );
  try {
    for (const stepMs of [0, 10 * minuteMs, -10 * minuteMs, 0]) {
      const { steady = 0 } = latest;
      clocks.set('api', stepMs);
      await waitUntil(`its clock is off by ${stepMs} ms`, () => isOffBy(stepMs));
      expect(latest).toMatchObject({ given: 5, isDate: true });
      expect((latest.steady ?? 0) - steady).toBeLessThan(minuteMs);
    }
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

it('knows what the time was when a process said something, though its clock was off', () => {
  let nowMs = 1_000_000;
  const clocks = createClocks(dir, () => nowMs);
  clocks.envOf('api');
  clocks.set('api', 10 * minuteMs);
  expect(clocks.trueTimeOf('api', nowMs + 10 * minuteMs - 300)).toBe(nowMs - 300);

  nowMs += 3_000;
  clocks.set('api', -10 * minuteMs);
  expect(clocks.trueTimeOf('api', nowMs - 10 * minuteMs - 300)).toBe(nowMs - 300);
  // Said just before the step.
  expect(clocks.trueTimeOf('api', nowMs + 10 * minuteMs - 2_000)).toBe(nowMs - 2_000);

  nowMs += 3_000;
  clocks.set('api', 0);
  nowMs += 5 * minuteMs;
  expect(clocks.trueTimeOf('api', nowMs - 1_000)).toBe(nowMs - 1_000);
  expect(clocks.trueTimeOf('another', nowMs - 1_000)).toBe(nowMs - 1_000);
});
