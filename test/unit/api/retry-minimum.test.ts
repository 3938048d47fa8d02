import { closeApps } from './ask.ts';
import { authorization, buildTestApp, postgresOf } from './build-test-app.ts';

afterEach(closeApps);

/** The problem with a new endpoint that is retried so; undefined if it is taken to the database. */
async function refusal(retry: object, minRetrySeconds: number): Promise<unknown> {
  let taken = false;
  const postgres = postgresOf(async () => {
    taken = true;
    return [];
  });
  const { ask } = buildTestApp({ postgres, minRetrySeconds });
  const answer = await ask({
    method: 'POST',
    path: '/v1/endpoints',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com/hook', retry }),
  });
  return taken ? undefined : answer.json<{ errors: unknown }>().errors;
}

test.each<[object, number, string | undefined]>([
  [{ base_seconds: 1 }, 1, undefined],
  [{ base_seconds: 0.99 }, 1, '/retry/base_seconds'],
  [{ base_seconds: 0.01, cap_seconds: 0.01 }, 1, '/retry/base_seconds'],
  [{ max_attempts: 3 }, 1, undefined],
  [{ schedule: [1, 1.5, 60] }, 1, undefined],
  [{ schedule: [60, 0] }, 1, '/retry/schedule/1'],
  [{ schedule: [0.5] }, 1, '/retry/schedule/0'],
  [{ schedule: [0.5, 0] }, 0, undefined],
  [{ base_seconds: 0.01 }, 0, undefined],
  [{ base_seconds: 0.05 }, 0.1, '/retry/base_seconds'],
  [{ base_seconds: 4.9 }, 5, '/retry/base_seconds'],
  [{}, 5, undefined],
])('a new endpoint with %j, at least %d s: %s', async (retry, minSeconds, field) => {
  const errors = await refusal(retry, minSeconds);
  expect(errors).toEqual(field === undefined ? undefined : [{ field, message: `must be >= ${minSeconds}` }]);
});
