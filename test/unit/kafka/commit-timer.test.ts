import { createManualClock } from '#lib/runtime';
import { createCommitTimer } from '../../../libs/kafka/consuming/commit-timer.ts';

function setUp() {
  const clock = createManualClock();
  const stopping = new AbortController();
  const commits: number[] = [];
  const state = { isDue: false, commitWorks: true };
  let sleeps = 0;
  const startMs = clock.monotonicMs();
  const timer = createCommitTimer({
    intervalMs: 1_000,
    isDue: () => state.isDue,
    async commit() {
      commits.push(clock.monotonicMs() - startMs);
      if (state.commitWorks) state.isDue = false;
    },
    clock: { ...clock, sleep: (ms, signal) => ((sleeps += 1), clock.sleep(ms, signal)) },
  });
  const done = (): void => {
    state.isDue = true;
    timer.wake();
  };
  return { clock, stopping, commits, state, done, running: timer.run(stopping.signal), sleeps: () => sleeps };
}

test('what is done is committed an interval later, with all that was done by then', async () => {
  const { clock, commits, done } = setUp();
  await clock.advance(5_000);
  done();
  await clock.advance(400);
  done();
  await clock.advance(599);
  expect(commits).toEqual([]);
  await clock.advance(1);
  expect(commits).toEqual([6_000]);
  done();
  await clock.advance(3_000);
  expect(commits).toEqual([6_000, 7_000]);
});

test('where nothing is done there is no timer', async () => {
  const { clock, commits, sleeps } = setUp();
  await clock.advance(60_000);
  expect([sleeps(), commits]).toEqual([0, []]);
});

test('what was not committed is due again', async () => {
  const { clock, commits, state, done } = setUp();
  state.commitWorks = false;
  done();
  await clock.advance(2_000);
  state.commitWorks = true;
  await clock.advance(5_000);
  expect(commits).toEqual([1_000, 2_000, 3_000]);
});

test('it ends with the signal, while it waits for something to do and while it waits for its time', async () => {
  const idle = setUp();
  idle.stopping.abort();
  await idle.running;
  const waiting = setUp();
  waiting.done();
  await waiting.clock.advance(10);
  waiting.stopping.abort();
  await waiting.running;
});
