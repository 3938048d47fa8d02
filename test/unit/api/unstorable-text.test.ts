import { closeApps } from './ask.ts';
import { authorization, buildTestApp, testRoutes } from './build-test-app.ts';

afterAll(closeApps);

const { ask } = buildTestApp();
const headers = { authorization, 'content-type': 'application/json' };
const unstorable = ['a\0b', '\ud800', 'a\udfff'];

/** The fields that an answer names, and nothing was asked of the database: it would be 500. */
async function refusedAt(request: { method: string; path: string; body?: string | object }): Promise<string[]> {
  const answer = await ask({ ...request, headers });
  expect(answer.json()).toMatchObject({ status: 400, code: 'validation_failed' });
  return answer.json<{ errors: { field: string; message: string }[] }>().errors.map(({ field, message }) => {
    expect(message).toBe('must not contain NUL or an unpaired surrogate');
    return field;
  });
}

const fields = testRoutes().flatMap(({ method, url, schema }) => {
  const { properties = {} } = (schema?.body ?? {}) as { properties?: object };
  const path = url.replaceAll(/:\w+/g, `x_${'0'.repeat(26)}`);
  return Object.keys(properties).map((field) => ({ method: String(method), path, field }));
});

test.each(fields)('$method $path refuses it in $field, as a text, in a list and deeper', async (given) => {
  const { field, ...request } = given;
  if (field === 'payload') return;
  for (const text of unstorable) {
    expect(await refusedAt({ ...request, body: { [field]: text } })).toEqual([`/${field}`]);
    expect(await refusedAt({ ...request, body: { [field]: ['a', text] } })).toEqual([`/${field}/1`]);
    expect(await refusedAt({ ...request, body: { [field]: { a: [{ b: text }] } } })).toEqual([`/${field}/a/0/b`]);
  }
});

test('refuses it in the name of a member, which it shows as others can store it', async () => {
  const body = { url: 'https://example.com', headers: { 'X\0': '1' }, filter: { 'a/\ud800': { $gt: 1 } } };
  expect(await refusedAt({ method: 'POST', path: '/v1/endpoints', body })).toEqual([
    '/headers/X\uFFFD',
    '/filter/a~1\uFFFD',
  ]);
});

test.each(['"a\\u0000"', '["\\ud800"]'])('refuses it in a body that is no object: %s', async (body) => {
  expect(await refusedAt({ method: 'POST', path: '/v1/sources', body })).toEqual([
    body.startsWith('[') ? '/0' : '(body)',
  ]);
});

test('names 20 fields at the most', async () => {
  const body = { name: Array<string>(1_000).fill('\0') };
  expect(await refusedAt({ method: 'POST', path: '/v1/sources', body })).toHaveLength(20);
});

test('refuses it in parameters by their names, known or not', async () => {
  expect(await refusedAt({ method: 'GET', path: '/v1/events?type=a%00&unknown=%00' })).toEqual(['type', 'unknown']);
});

test.each(['/v1/sources/%00', '/v1/replays/a%00b', '/v1/api-keys/%00'])('%s is the id of nothing', async (path) => {
  const answer = await ask({ path, headers });
  expect(answer.json()).toMatchObject({ status: 404, code: 'not_found' });
});
