import { createManualClock } from '#lib/runtime';
import { sendAgain } from '../../../services/cli/api-calls/send-again.ts';

type Result = Awaited<ReturnType<Parameters<typeof sendAgain>[0]>>;

const answer = (status: number, retryAfter?: string): Result => ({
  status,
  header: (name) => (name === 'retry-after' ? retryAfter : undefined),
  bytes: Buffer.alloc(0),
});
const noAnswer: Result = { noAnswer: 'connection refused' };

/** The outcome of these results, and the waits between them, with jitter of half of the most. */
async function run(results: readonly Result[], maxAttempts = 8) {
  const clock = createManualClock();
  const waits: number[] = [];
  const left = [...results];
  const sending = sendAgain(async () => left.shift() as Result, {
    clock,
    random: () => 0.5,
    maxAttempts,
    onRetry: (_result, waitMs) => waits.push(waitMs),
  });
  await clock.advance(3_600_000);
  return { ...(await sending), waits };
}

test.each([200, 202, 204, 400, 401, 403, 404, 410, 413, 500, 502])('%i is the answer', async (status) => {
  expect(await run([answer(status)])).toMatchObject({ result: { status }, attempts: 1, waits: [] });
});

test('429, 503, 504 and no answer are sent again, after waits that double', async () => {
  expect(await run([answer(429), answer(503), answer(504), noAnswer, answer(202)])).toMatchObject({
    result: { status: 202 },
    attempts: 5,
    waits: [250, 500, 1_000, 2_000],
  });
});

test('Retry-After is waited for, and the jitter comes on top; one of a year is not', async () => {
  expect((await run([answer(503, '7'), answer(429, '31536000'), answer(503, 'soon'), answer(202)])).waits).toEqual([
    7_250, 120_500, 1_000,
  ]);
});

test('a wait is never above half a minute, but for Retry-After', async () => {
  expect(Math.max(...(await run([...Array<Result>(20).fill(noAnswer), answer(202)], 21)).waits)).toBe(15_000);
});

test('the last result counts when the attempts are used up', async () => {
  expect(await run([noAnswer, noAnswer, answer(503), answer(202)], 3)).toMatchObject({
    result: { status: 503 },
    attempts: 3,
  });
});
