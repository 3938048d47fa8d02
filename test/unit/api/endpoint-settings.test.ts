import fc from 'fast-check';
import { endpointDefaults } from '#lib/contract';
import { closeApps } from './ask.ts';
import { authorization, buildTestApp, postgresOf } from './build-test-app.ts';

const headers = { authorization, 'content-type': 'application/json' };
const day = 24 * 3600;
const maxWindowSeconds = 14 * day;

afterAll(closeApps);

interface Stored {
  filter: unknown;
  settings: object;
}

let inserted: Stored | undefined;
// One for all: it keeps nothing, and compiling the schemas is what takes time.
const { ask } = buildTestApp({
  postgres: postgresOf(async (_text, values = []) => {
    const [, , , , , , filter, settings] = values as (string | null)[];
    inserted = { filter: JSON.parse(filter ?? 'null'), settings: JSON.parse(settings ?? '') as object };
    return [{ id: 'ep_1', revision: 1, ...inserted, public_keys: [], created_at: '', deleted_at: null }];
  }),
});

/** The stored settings and the part that the answer shows; or the fields that are refused. */
async function create(endpoint: object) {
  const body = { url: 'https://example.com/hook', ...endpoint };
  const answer = await ask({ method: 'POST', path: '/v1/endpoints', headers, body });
  if (answer.status === 201) return { stored: inserted, shown: answer.json<Record<string, unknown>>() };
  expect(answer.json()).toMatchObject({ status: 400, code: 'validation_failed' });
  return { refused: answer.json<{ errors: { field: string }[] }>().errors.map(({ field }) => field) };
}

test.each([
  [{ ordered: true }, { ordered: true }],
  [{}, { ordered: false, filter: null }],
  [{ pass_headers: ['X-GitHub-*', 'x-request-id', 'X-Shopify-Hmac-SHA256', 'Authorization'] }, undefined],
  [{ retry: {} }, { retry: endpointDefaults.retry }],
  [{ retry: { max_attempts: 1 } }, { retry: expect.objectContaining({ base_seconds: 5, max_attempts: 1 }) as object }],
  [{ retry: { schedule: [60, 600.5] } }, { retry: { schedule: [60, 600.5], jitter: 0 } }],
  [{ retry: { schedule: [0], jitter: 1 } }, { retry: { schedule: [0], jitter: 1 } }],
  [{ retry: { schedule: [7 * day, 7 * day] } }, undefined],
  [{ retry: { schedule: Array<number>(100).fill(1) } }, undefined],
])('%j is stored as it is given, and shown with its defaults', async (given, effective) => {
  const { stored, shown } = await create(given);
  expect(stored).toEqual({ filter: null, settings: given });
  expect(shown).toMatchObject(effective ?? given);
});

test.each([
  [{ 'data.object.currency': 'eur' }],
  [{ $or: [{ 'data.amount': { $gte: 100 } }, { 'data.vip': true }] }],
  [{ text: 'a \\u0000 that is no character, and a pair: \u{1f600}' }],
])('the filter %j is stored and shown as it is', async (filter) => {
  expect(await create({ filter })).toMatchObject({ stored: { filter, settings: {} }, shown: { filter } });
});

test('no filter may be given as null', async () => {
  expect(await create({ filter: null })).toMatchObject({ stored: { filter: null, settings: {} } });
});

test.each([
  [{ url: 'https://example.com/\0' }, '/url'],
  [{ ordered: 'yes' }, '/ordered'],
  [{ pass_headers: 'X-A' }, '/pass_headers'],
  [{ pass_headers: ['X-A', '*'] }, '/pass_headers/1'],
  [{ pass_headers: ['X-*-A'] }, '/pass_headers/0'],
  [{ pass_headers: ['X A'] }, '/pass_headers/0'],
  [{ pass_headers: ['X-A', 'X-A'] }, '/pass_headers'],
  [{ pass_headers: Array.from({ length: 51 }, (_, index) => `X-${index}`) }, '/pass_headers'],
  [{ pass_headers: ['X-A', 'Content-Type'] }, '/pass_headers/1'],
  [{ pass_headers: ['webhook-*'] }, '/pass_headers/0'],
  [{ pass_headers: ['User-Agent'] }, '/pass_headers/0'],
  [{ pass_headers: ['Auth*'] }, '/pass_headers/0'],
  [{ pass_headers: ['X-Api-Key*'] }, '/pass_headers/0'],
  [{ filter: 'data.amount > 5' }, '/filter'],
  [{ filter: {} }, '/filter'],
  [{ filter: [] }, '/filter'],
  [{ filter: { $where: 'true' } }, '/filter/$where'],
  [{ filter: { $or: [{ a: 1 }, { 'b/c': { $like: 'x' } }] } }, '/filter/$or/1/b~1c/$like'],
  [{ filter: { a: 'x\0' } }, '/filter/a'],
  [{ filter: { a: '\\\0' } }, '/filter/a'],
  [{ filter: { a: '\ud83d' } }, '/filter/a'],
  [{ retry: { schedule: [] } }, '/retry/schedule'],
  [{ retry: { schedule: Array<number>(101).fill(1) } }, '/retry/schedule'],
  [{ retry: { schedule: 60 } }, '/retry/schedule'],
  [{ retry: { schedule: [60, -1] } }, '/retry/schedule/1'],
  [{ retry: { schedule: [7 * day + 1] } }, '/retry/schedule/0'],
  [{ retry: { schedule: ['60'] } }, '/retry/schedule/0'],
  [{ retry: { schedule: [60], jitter: -0.1 } }, '/retry/jitter'],
  [{ retry: { schedule: [60], jitter: 1.1 } }, '/retry/jitter'],
  [{ retry: { jitter: 0.5 } }, '/retry/jitter'],
  [{ retry: { base_seconds: 5, jitter: 0.5 } }, '/retry/jitter'],
  [{ retry: { schedule: [60], base_seconds: 5 } }, '/retry/base_seconds'],
  [{ retry: { schedule: [60], jitter: 0, max_attempts: 3 } }, '/retry/max_attempts'],
  [{ retry: { schedule: [7 * day, 7 * day, 1] } }, '/retry/schedule'],
  [{ retry: { schedule: [7 * day, 7 * day], jitter: 0.01 } }, '/retry/schedule'],
  [{ retry: { waits: [1] } }, '/retry/waits'],
])('%j is refused at %s', async (given, field) => {
  expect(await create(given)).toEqual({ refused: [field] });
});

test('a schedule with its jitter is taken exactly if it ends within the longest window', async () => {
  const waits = fc.array(fc.integer({ min: 0, max: 7 * day }), { minLength: 1, maxLength: 6 });
  const jitter = fc.option(fc.constantFrom(0, 0.1, 0.25, 0.5, 1), { nil: undefined });
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(waits, jitter, async (schedule, jitter) => {
      const { refused } = await create({ retry: { schedule, ...(jitter !== undefined && { jitter }) } });
      const longest = schedule.reduce((sum, wait) => sum + wait * (1 + (jitter ?? 0)), 0);
      // If rounding in the sum decides, neither answer is wrong.
      fc.pre(Math.abs(longest - maxWindowSeconds) > 0.001);
      expect(refused).toEqual(longest <= maxWindowSeconds ? undefined : ['/retry/schedule']);
      if (refused === undefined) taken += 1;
    }),
  );
  expect(taken).toBeGreaterThan(10);
  expect(taken).toBeLessThan(90);
});
