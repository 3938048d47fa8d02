import { createManualClock } from '#lib/runtime';
import type { Context } from '../../../services/cli/context.ts';
import { countDown } from '../../../services/cli/output/views.ts';

/** Counts down, and gives what was written on the standard error and how long it took. */
async function counted(leftMs: number, isTTY: boolean) {
  const clock = createManualClock();
  const written: string[] = [];
  const stderr = { isTTY, write: (text: string) => written.push(text) };
  const beganMs = clock.monotonicMs();
  let tookMs: number | undefined;
  const counting = countDown(
    { clock, process: { stderr } as unknown as Context['process'] },
    new Date(clock.nowMs() + leftMs).toISOString(),
  ).then(() => void (tookMs = clock.monotonicMs() - beganMs));
  for (let step = 0; step < 50 && tookMs === undefined; step += 1) await clock.advance(100);
  await counting;
  return { written, tookMs };
}

test('a terminal shows the seconds until a change counts', async () => {
  expect(await counted(1_900, true)).toEqual({
    written: ['\rcounts in 2 s ', '\rcounts in 1 s ', '\rcounts now      \n'],
    tookMs: 1_900,
  });
});

test('a clock that differs from the server’s makes it no longer than two seconds, or nothing', async () => {
  expect((await counted(3_600_000, true)).tookMs).toBe(2_000);
  expect(await counted(-5_000, true)).toEqual({ written: [], tookMs: 0 });
});

test('a script waits for nothing, and reads nothing of it', async () => {
  expect(await counted(1_900, false)).toEqual({ written: [], tookMs: 0 });
});
