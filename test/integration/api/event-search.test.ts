/** Searches of payloads: what they find, how far they go, and that they delay nobody. */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { EventRecord } from '#lib/contract';
import { createMatchTurns } from '#lib/event-filter';
import { createId, silentLogger, systemClock } from '#lib/runtime';
import { createEventSearch } from '../../../services/api/searching/event-search.ts';
import {
  type Found,
  type SearchAsked,
  searchLimits,
  searchPayloads,
} from '../../../services/api/searching/search-payloads.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { buildTestApp } from '../../unit/api/build-test-app.ts';
import { eventFact, fanOutFact } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

const mebibyte = 1024 * 1024;
let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

/** Each a second later than the one before, all in the last hours. */
async function receive(
  tenant: string,
  payloads: readonly (string | Buffer | Partial<EventRecord>)[],
): Promise<string[]> {
  const from = Date.now() - 3_600_000;
  const facts = payloads.map((given, n) => {
    const more = typeof given === 'string' || Buffer.isBuffer(given) ? { payload: Buffer.from(given) } : given;
    const eventId = createId('evt', from + n * 1_000);
    const receipt = { receipt_id: createId('rcp', from + n * 1_000), received_at: (from + n * 1_000) * 1_000 };
    return eventFact({ tenant, eventId }, { ...receipt, ...more });
  });
  for (let at = 0; at < facts.length; at += 20) await project(api.postgres, facts.slice(at, at + 20));
  return facts.map(({ event }) => event.id);
}

const pathOf = (filter: object, more: Record<string, string> = {}): string =>
  `/v1/events/search?${new URLSearchParams({ filter: JSON.stringify(filter), ...more }).toString()}`;

interface Answered extends Omit<Found, 'matched'> {
  matched: { id: string }[];
}

async function search(tenant: string, filter: object, more: Record<string, string> = {}): Promise<Answered> {
  const answer = await api.ask({ path: pathOf(filter, more), tenant });
  expect([answer.text, answer.status]).toEqual([answer.text, 200]);
  return answer.json<Answered>();
}

const ids = (events: readonly { id: string }[]): string[] => events.map(({ id }) => id);

test('a search compares numbers by exact value', async () => {
  const tenant = 'exact';
  const [, second] = await receive(tenant, ['{"account":9007199254740992}', '{"account":9007199254740993}']);
  const filter = new URLSearchParams({ filter: '{"account":9007199254740993}' }).toString();
  const answer = await api.ask({ path: `/v1/events/search?${filter}`, tenant });
  expect(ids(answer.json<Answered>().matched)).toEqual([second]);
});

describe('a search', () => {
  const tenant = 'searched';
  let events: string[] = [];
  beforeAll(async () => {
    events = await receive(tenant, [
      '{"n":1,"name":"a"}',
      { payload: Buffer.from('{"n":2,"name":"a"}'), type: 'invoice.sent' },
      'n=3',
      { payload: gzipSync('{"n":4,"name":"a"}'), content_encoding: 'gzip' },
      '{"n":5,"name":"b"}',
    ]);
  });

  it('finds the events whose payloads the filter takes, newest first, as they are in lists', async () => {
    const found = await search(tenant, { name: 'a' });
    expect(ids(found.matched)).toEqual([3, 1, 0].map((n) => events[n]));
    expect(found).toMatchObject({ scanned: 5, complete: true, cursor: null });
    expect(found.unjudged).toEqual({ payload_removed: 0, payload: 0, filter_steps: 0 });
    const listed = (await api.ask({ path: '/v1/events', tenant })).json<{ id: string }[]>();
    expect(found.matched[2]).toEqual(listed.find(({ id }) => id === events[0]));
  });

  it('looks only into events that the filters of the list take', async () => {
    const found = await search(tenant, { name: 'a' }, { type: 'invoice.sent' });
    expect([ids(found.matched), found.scanned]).toEqual([[events[1]], 1]);
    const ended = { tenant, eventId: events[4] ?? '' };
    await project(api.postgres, [fanOutFact(ended, [])]);
    expect(await search(tenant, { n: 5 }, { status: 'received' })).toMatchObject({ matched: [], scanned: 4 });
    expect(ids((await search(tenant, { n: 5 }, { status: 'completed' })).matched)).toEqual([events[4]]);
    expect(await search('stranger', { name: 'a' })).toMatchObject({ matched: [], scanned: 0, complete: true });
  });

  it('begins and ends with the times of receipt that are asked for', async () => {
    const listed = (await api.ask({ path: '/v1/events', tenant })).json<{ id: string; received_at: string }[]>();
    const at = (n: number): string => listed.find(({ id }) => id === events[n])?.received_at ?? '';
    const times = { received_since: at(1), received_until: at(3) };
    const found = await search(tenant, { name: { $exists: true } }, times);
    expect([ids(found.matched), found.scanned, found.complete]).toEqual([[events[1]], 2, true]);
    // Not one before the time is looked into.
    const read = await searchPayloads(
      {
        postgres: api.postgres,
        turns: createMatchTurns(),
        monotonicMs: systemClock.monotonicMs,
        limits: searchLimits,
      },
      { tenant, filter: '{"n":0}', events: { received_until: at(0) }, before: null, limit: 1 },
    );
    expect(read).toMatchObject({ scanned: 0, complete: true });
  });

  it('ends at the limit, and continues behind it without a gap', async () => {
    const first = await search(tenant, { name: 'a' }, { limit: '1' });
    expect(first).toMatchObject({ complete: false, cursor: events[3] });
    const seen = [...ids(first.matched)];
    for (let found = first; !found.complete;) {
      found = await search(tenant, { name: 'a' }, { limit: '1', cursor: found.cursor ?? '' });
      seen.push(...ids(found.matched));
    }
    expect(seen).toEqual([3, 1, 0].map((n) => events[n]));
  });

  it('counts what it could not look into', async () => {
    const of = 'unjudged';
    const [removed] = await receive(of, [
      '{"n":1}',
      `${'['.repeat(200)}${']'.repeat(200)}`,
      JSON.stringify({ n: Array.from({ length: 10_000 }, () => 0) }),
      '{"n":1}',
    ]);
    await api.postgres.query('DELETE FROM event_payloads WHERE tenant = $1 AND event_id = $2', [of, removed]);
    const filter = { $nor: Array.from({ length: 20 }, (_, value) => ({ n: -1 - value })) };
    const found = await search(of, filter);
    expect(found).toMatchObject({ scanned: 1, complete: true });
    expect(found.unjudged).toEqual({ payload_removed: 1, payload: 1, filter_steps: 1 });
  });

  it('refuses what is no filter, no cursor, and no parameter', async () => {
    const refused = async (path: string): Promise<unknown> => {
      const answer = await api.ask({ path, tenant });
      return [answer.status, answer.json<{ errors?: { field: string }[] }>().errors?.map(({ field }) => field)];
    };
    expect(await refused('/v1/events/search')).toEqual([400, ['filter']]);
    expect(await refused('/v1/events/search?filter=%7B')).toEqual([400, ['filter']]);
    expect(await refused(pathOf({ a: { $where: '1' } }))).toEqual([400, ['filter/a/$where']]);
    expect(await refused(pathOf({ a: 1 }, { cursor: 'evt_1' }))).toEqual([400, ['cursor']]);
    expect(await refused(pathOf({ a: 1 }, { updated_at_gte: '2026-01-01T00:00:00Z' }))).toEqual([
      400,
      ['updated_at_gte'],
    ]);
  });
});

describe('the limits of a search', () => {
  const tenant = 'limited';
  /** About a mebibyte each, of 40,000 numbers. */
  const large = Buffer.from(
    JSON.stringify({ n: Array.from({ length: 40_000 }, (_, n) => 1e15 + n), fill: 'x'.repeat(mebibyte - 690_000) }),
  );
  const count = 80;
  /** Each condition looks at every number, and takes none: as expensive as a filter can be for its size. */
  const worst = { $or: [{ n: { $in: [-1] } }, { n: -2 }] };
  let events: string[] = [];
  beforeAll(async () => {
    events = await receive(
      tenant,
      Array.from({ length: count }, () => large),
    );
  });

  const inThisThread = (asked: Partial<SearchAsked> = {}, limits = searchLimits): Promise<Found> =>
    searchPayloads(
      {
        postgres: api.postgres,
        turns: createMatchTurns(),
        monotonicMs: systemClock.monotonicMs,
        limits,
      },
      { tenant, filter: JSON.stringify(worst), events: {}, before: null, limit: 100, ...asked },
    );

  it('are 64 MiB and two seconds; it says that it is not complete, and continues behind them', async () => {
    const beganAtMs = performance.now();
    const first = await search(tenant, worst);
    const tookMs = performance.now() - beganAtMs;
    expect(first).toMatchObject({ matched: [], complete: false });
    expect(first.scanned).toBeGreaterThan(0);
    expect(first.scanned * large.length).toBeLessThanOrEqual(64 * mebibyte);
    // With the start of the thread, on a busy machine.
    expect(tookMs).toBeLessThan(10_000);
    expect(first.cursor).toBe(events.at(-first.scanned));
    const second = await search(tenant, worst, { cursor: first.cursor ?? '' });
    expect(second.cursor).toBe(events.at(-first.scanned - second.scanned) ?? null);
  });

  it('hold for bytes alone, and the end is reached behind them', async () => {
    const limits = { ...searchLimits, bytes: 8 * mebibyte, beginWithinMs: Infinity };
    const found = await inThisThread({}, limits);
    expect(found).toMatchObject({ complete: false, scanned: Math.floor(limits.bytes / large.length) });
    expect(found.cursor).toBe(events.at(-found.scanned));
    const last = await inThisThread({ before: events[3] ?? null }, limits);
    expect(last).toMatchObject({ complete: true, scanned: 3, cursor: null });
  });

  it('hold for the time alone', async () => {
    const found = await inThisThread({}, { ...searchLimits, bytes: Infinity, beginWithinMs: 50 });
    expect(found.complete).toBe(false);
    expect(found.scanned).toBeLessThan(count / 2);
  });

  it('let a payload pass that is larger than all bytes: the search advances', async () => {
    const found = await inThisThread({}, { ...searchLimits, bytes: 1 });
    expect(found).toMatchObject({ complete: false, scanned: 1, cursor: events.at(-1) });
  });

  it('are reached without a match: nothing found is not “not looked at”', async () => {
    const found = await inThisThread({ events: { type: 'none' } });
    expect(found).toMatchObject({ matched: [], scanned: 0, complete: true });
    const cut = await inThisThread({ events: { type: 'none' } }, { ...searchLimits, beginWithinMs: 0 });
    expect(cut).toMatchObject({ matched: [], complete: false });
  });

  /** Processor time of this thread, in milliseconds: what others do to the machine is not in it. */
  async function costOf(work: () => Promise<unknown>): Promise<number> {
    const cpu = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(cpu);
    return (user + system) / 1_000;
  }

  it('keep the loop of the API free, whatever the filter', async () => {
    // As many events there as here, however fast the machine is.
    const limits = { bytes: 16 * mebibyte, beginWithinMs: Infinity, statementMs: 60_000 };
    const database = { url: api.databaseUrl };
    const inItsThread = createEventSearch({ database, name: 'free-loop', log: silentLogger, limits });
    const { ask } = buildTestApp({ postgres: api.postgres, search: inItsThread });
    const headers = { authorization: 'Bearer an-admin-key-for-tests', 'hookline-tenant': tenant };
    const scannedOf = async (path: string) => (await ask({ path, headers })).json<Found>().scanned;
    // Starts the thread.
    await scannedOf(pathOf({ none: 1 }, { type: 'none' }));
    const scanned = Math.floor(limits.bytes / large.length);
    const cost = await costOf(async () => expect(await scannedOf(pathOf(worst))).toBe(scanned));
    // The measure itself: in this thread, it would be seen.
    const here = await costOf(async () => expect((await inThisThread({}, limits)).scanned).toBe(scanned));
    expect(here).toBeGreaterThan(2 * scanned);
    expect(cost).toBeLessThan(here / 4);
    await inItsThread.start();
    await inItsThread.stop();
  });

  it('are one search of a tenant at a time, in all processes', async () => {
    const other = createEventSearch({ database: { url: api.databaseUrl }, name: 'other', log: silentLogger });
    const { ask } = buildTestApp({ postgres: api.postgres, search: other });
    const headers = { authorization: 'Bearer an-admin-key-for-tests', 'hookline-tenant': tenant };
    // Starts both threads.
    const short = pathOf({ none: 1 }, { type: 'none' });
    await ask({ path: short, headers: { ...headers, 'hookline-tenant': 'starting' } });
    // One after the other, so that there is one at almost any moment, however long the machine takes for the others.
    let isOver = false;
    const long = (async () => {
      while (!isOver) await api.ask({ path: pathOf(worst), tenant });
    })();
    const refusedBy = (where: string, look: () => ReturnType<typeof ask>) =>
      waitUntil(`${where} refuses a second search`, async () => {
        const answer = await look();
        return answer.status === 429 && answer;
      });
    for (const refused of [
      await refusedBy('this process', () => api.ask({ path: short, tenant })),
      await refusedBy('another process', () => ask({ path: short, headers })),
    ]) {
      expect(refused.json()).toMatchObject({ status: 429, code: 'limit_reached', limit: 'searches' });
      expect(refused.headers['retry-after']).toBe('2');
    }
    await waitUntil('the limits show the search that runs', async () => {
      const shown = (await api.ask({ path: '/v1/limits', tenant })).json<{ name: string; used: number | null }[]>();
      return shown.find(({ name }) => name === 'searches')?.used === 1;
    });
    expect((await api.ask({ path: short, tenant: 'stranger' })).status).toBe(200);
    isOver = true;
    await long;
    expect((await ask({ path: short, headers })).status).toBe(200);
    await other.start();
    await other.stop();
  });
});

test('nothing of a search is logged', async () => {
  const secret = randomBytes(8).toString('hex');
  const lines: unknown[] = [];
  const keep = (line: Record<string, unknown>): void => void lines.push(line);
  const log = { debug: keep, info: keep, warn: keep, error: keep, isOn: () => true };
  const search = createEventSearch({ database: { url: api.databaseUrl }, name: 'logged', log });
  const { ask } = buildTestApp({ postgres: api.postgres, search, log });
  const headers = { authorization: 'Bearer an-admin-key-for-tests' };
  expect((await ask({ path: pathOf({ secret }), headers })).status).toBe(200);
  expect((await ask({ path: pathOf({ [secret]: { $bad: 1 } }), headers })).status).toBe(400);
  expect(lines.length).toBeGreaterThan(0);
  expect(JSON.stringify(lines)).not.toContain(secret);
  await search.start();
  await search.stop();
});
