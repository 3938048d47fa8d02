import { createUnjudgedFilters, type UnjudgedFilters } from '#lib/event-filter';
import { silentLogger, systemClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { nominalMs } from '../../support/nominal-time.ts';
import { processorTimeMs } from '../../support/processor-time.ts';
import { eventFact } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

let api: OpenApi;
const noted: Parameters<UnjudgedFilters['note']>[] = [];
beforeAll(async () => {
  api = await openApi({ unjudgedFilters: { note: (...args) => void noted.push(args) } });
});
afterAll(() => api.close());

const [tenant, other] = ['busy', 'other'];
const eventId = `evt_${'7'.repeat(26)}`;

/** 20,000 values that each of these filters looks at with nineteen conditions: 0.1 s and more each, if nothing bounds it. */
const payload = { list: Array.from({ length: 20_000 }, (_, index) => ({ a: index })) };
const filterOf = (index: number): object => ({
  list: { $elemMatch: { $or: Array.from({ length: 19 }, (_, each) => ({ a: -1 - each - index })) } },
});
const endpoints = 20;

/** For how long at the longest the process did nothing but one thing, in processor time. */
function watchLoop() {
  let longestMs = 0;
  let lastMs = processorTimeMs();
  let isOver = false;
  const look = (): void => {
    const nowMs = processorTimeMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return () => ((isOver = true), longestMs);
}

it('a replay whose filters are a lot of work holds nobody else up, and goes to those that were not judged', async () => {
  await project(api.postgres, [
    eventFact({ tenant, eventId }, { origin: 'r-0-1', payload: Buffer.from(JSON.stringify(payload)) }),
  ]);
  for (let index = 0; index < endpoints; index += 1) {
    const body = { url: 'https://receiver.example/hook', filter: filterOf(index) };
    expect((await api.ask({ method: 'POST', path: '/v1/endpoints', tenant, body })).status).toBe(201);
  }

  const stop = watchLoop();
  const replaying = api.ask({ method: 'POST', path: `/v1/events/${eventId}/replay`, tenant, body: {} });
  let asked = 0;
  let isOver = false;
  const done = replaying.finally(() => (isOver = true));
  while (!isOver) {
    expect((await api.ask({ path: '/v1/endpoints', tenant: other })).status).toBe(200);
    asked += 1;
  }
  const answer = await done;
  // The work takes 5 s and more at one go.
  expect(nominalMs(stop(), { limitMs: 300 })).toBeLessThan(300);
  expect(asked).toBeGreaterThanOrEqual(3);
  expect(answer.status).toBe(202);
  expect(answer.json()).toMatchObject({ matched: endpoints });

  const deps = { postgres: api.postgres, metrics: new Metrics(), clock: systemClock, log: silentLogger };
  const unjudged = createUnjudgedFilters(deps);
  for (const args of noted) unjudged.note(...args);
  await unjudged.settle();
  await unjudged.settle();
  const listed = (await api.ask({ path: '/v1/endpoints', tenant })).json<{ filter_unjudged: unknown }[]>();
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string;
  expect(listed.map(({ filter_unjudged }) => filter_unjudged)).toEqual(
    // Ten filters at their bound are all that an event has.
    listed.map((_, index) => ({ at, reason: index < 10 ? 'filter_steps' : 'event_steps' })),
  );
});
