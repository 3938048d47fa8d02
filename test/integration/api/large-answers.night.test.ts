/** Answers that have stopped the API before: a turn of its loop is short while it makes them, and its memory holds a piece of each. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { nominalMs } from '../../support/nominal-time.ts';
import { watchTurns } from '../../support/turns.ts';
import { authorization } from '../../unit/api/build-test-app.ts';
import { type OpenApi, openApi } from './api-over-database.ts';
import type { ReadInThread } from './reading-thread.ts';

const types = 340;
/** 20 MB in all. */
const properties = 500;
const tenant = 'large';

/** The aim is 50 ms; garbage that is collected meanwhile is counted, too. Before: 1.7 s, and 7.4 s for ten at once. */
const longestMs = 50;
/** Before: 1.66 GB. */
const mostMegabytes = 300;

const schema = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: properties }, (_, n) => [
      `property_${n}`,
      { type: 'string', maxLength: 1_000, description: `the property ${n} ${'of many '.repeat(6)}` },
    ]),
  ),
};

const typesSql = `
  WITH given AS (SELECT n, 'group.type' || lpad(n::text, 4, '0') AS name FROM generate_series(1, $2::int) AS n),
       types AS (INSERT INTO event_types (tenant, id, visibility, description, notes, words, enforce, version, bytes)
                 SELECT $1, 'typ_' || n, 'public', 'A type', '', 2, 'off', 1, 60000 FROM given),
       names AS (INSERT INTO event_type_names (tenant, name, type_id, kind) SELECT $1, name, 'typ_' || n, 'current' FROM given)
  INSERT INTO event_type_versions (tenant, type_id, version, schema, example, example_generated, notes, compatibility, differences)
  SELECT $1, 'typ_' || n, 1, $3::json, '{}', false, '', 'initial', '[]' FROM given`;

let api: OpenApi;
beforeAll(async () => {
  api = await openApi({ limiter: { take: async () => ({ granted: true }) } });
  await api.postgres.query(typesSql, [tenant, types, JSON.stringify(schema)]);
});
afterAll(() => api.close());

async function readAtOnce(path: string, times: number) {
  const workerData: ReadInThread = {
    url: `${await api.url()}${path}`,
    headers: { authorization, 'hookline-tenant': tenant },
    times,
  };
  const reading = new Worker(new URL('reading-thread.ts', import.meta.url), { workerData });
  const stopWatching = watchTurns();
  const beganAtMs = performance.now();
  const [bytes] = (await once(reading, 'message')) as [number[]];
  const turns = stopWatching();
  await reading.terminate();
  return { ...turns, bytes, tookMs: performance.now() - beganAtMs };
}

test.each([1, 10])('an export of 20 MB, %i at once', async (times) => {
  await readAtOnce('/v1/event-types/export?limit=20', 1);
  const { bytes, longestMs: longest, grownMegabytes, tookMs } = await readAtOnce('/v1/event-types/export', times);
  console.log(
    `${times} at once: ${(tookMs / 1_000).toFixed(1)} s, longest turn ${longest.toFixed(0)} ms, ${grownMegabytes.toFixed(0)} MiB more`,
  );
  expect(bytes).toHaveLength(times);
  for (const each of bytes) expect(each).toBeGreaterThan(20_000_000);
  expect(nominalMs(longest, { limitMs: longestMs })).toBeLessThan(longestMs);
  expect(grownMegabytes).toBeLessThan(mostMegabytes);
});
