import { endpointDefaults, longestWindowSeconds, shortestPayloadRetentionDays } from '#lib/contract';
import { closeApps } from './ask.ts';
import { authorization, buildTestApp, postgresOf } from './build-test-app.ts';

afterEach(closeApps);

const day = 24 * 3600;

/** The problem with an endpoint that is retried for so long; undefined if it is taken to the database. */
async function refusal(windowSeconds: number, payloadRetentionDays: number): Promise<unknown> {
  let taken = false;
  const postgres = postgresOf(async () => {
    taken = true;
    return [];
  });
  const { ask } = buildTestApp({ postgres, payloadRetentionDays });
  const answer = await ask({
    method: 'POST',
    path: '/v1/endpoints',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com/hook', retry: { window_seconds: windowSeconds } }),
  });
  return taken ? undefined : answer.json<{ errors: unknown }>().errors;
}

test.each([
  ['is fourteen days at most', 30, 14],
  ['is a day less than payloads are kept, where those are not kept for long', 6, 5],
  ['is three days where payloads are kept for four', 4, 3],
])('the retry window %s', async (_, payloadRetentionDays, windowDays) => {
  expect(await refusal(windowDays * day, payloadRetentionDays)).toBeUndefined();
  expect(await refusal(windowDays * day + 1, payloadRetentionDays)).toEqual([
    { field: '/retry/window_seconds', message: `must be <= ${windowDays * day}` },
  ]);
});

test('the default retry window is allowed, however short payloads are kept', () => {
  expect(endpointDefaults.retry.window_seconds).toBeLessThanOrEqual(longestWindowSeconds(shortestPayloadRetentionDays));
});
