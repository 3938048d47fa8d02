/** `GET /v1/events` as clients follow it: by cursor, held until something changes, and by ETag. */
import { request } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { formatMicros, parseRfc3339 } from '#lib/runtime';
import type { Fact } from '../../../services/projector/facts.ts';
import { fastestOfThreeMs } from '../../support/fastest.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { authorization } from '../../unit/api/build-test-app.ts';
import type { Answer } from '../../unit/api/ask.ts';
import { duplicateFact, eventFact, fanOutFact } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { nextPath } from './api-over-database.ts';
import { listenerName, openPollingApi, type PollingApi } from './polling-api.ts';

const maxHeldPerCredential = 20;
let api: PollingApi;
beforeAll(async () => {
  api = await openPollingApi({ maxHeldPerCredential });
});
afterAll(() => api.close());

interface EventJson {
  id: string;
  updated_at: string;
  status: string;
}

let tenants = 0;
const newTenant = (): string => `tenant-${(tenants += 1)}`;
const write = (...facts: Fact[]): Promise<void> => project(api.postgres, facts);
const idsOf = (answer: Answer): string[] => answer.json<EventJson[]>().map(({ id }) => id);
const cursorOf = ({ headers }: Answer): string => headers['hookline-cursor'] ?? 'none';
const list = (tenant: string, query: string, headers = {}): Promise<Answer> =>
  api.ask({ path: `/v1/events${query}`, tenant, headers });

/** Begins a request that is held, and comes back once it is. */
async function held(tenant: string, query: string, headers = {}): Promise<{ answer: Promise<Answer> }> {
  const before = await api.waiting();
  const answer = list(tenant, query, headers);
  await waitUntil('it is held', async () => (await api.waiting()) > before, { everyMs: 5 });
  return { answer };
}

describe('the cursor', () => {
  test('is strictly after the last item, and keeps its place whatever the filters are', async () => {
    const tenant = newTenant();
    for (const n of [1, 2, 3]) await write(eventFact({ tenant, eventId: `evt_${n}` }, { type: n === 2 ? 'b' : 'a' }));
    const first = await list(tenant, '?limit=2');
    expect(idsOf(first)).toEqual(['evt_1', 'evt_2']);
    const rest = await list(tenant, `?cursor=${cursorOf(first)}`);
    expect(idsOf(rest)).toEqual(['evt_3']);
    expect(idsOf(await list(tenant, `?cursor=${cursorOf(first)}&type=b`))).toEqual([]);
    await write(fanOutFact({ tenant, eventId: 'evt_1' }, []));
    const changed = await list(tenant, `?cursor=${cursorOf(rest)}`);
    expect(changed.json<EventJson[]>()).toMatchObject([{ id: 'evt_1', status: 'completed' }]);
    const nothing = await list(tenant, `?cursor=${cursorOf(changed)}`);
    expect([nothing.status, nothing.text]).toEqual([200, '[]']);
    expect(cursorOf(nothing)).toBe(cursorOf(changed));
  });

  test('goes on where nothing matches: who waits for what is rare does not fall behind', async () => {
    const tenant = newTenant();
    const before = cursorOf(await list(tenant, '?type=rare'));
    await write(eventFact({ tenant, eventId: 'evt_1' }));
    const after = cursorOf(await list(tenant, `?type=rare&cursor=${before}`));
    expect(idsOf(await list(tenant, `?cursor=${before}`))).toEqual(['evt_1']);
    expect(idsOf(await list(tenant, `?cursor=${after}`))).toEqual([]);
  });

  test('that was tampered with, or is another tenant’s, is 400 and named', async () => {
    const tenant = newTenant();
    await write(eventFact({ tenant, eventId: 'evt_1' }));
    const cursor = cursorOf(await list(tenant, ''));
    const flipped = (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1);
    for (const [asked, given] of [
      [tenant, flipped],
      [tenant, ''],
      [tenant, `${cursor}=`],
      [newTenant(), cursor],
    ] as const) {
      const answer = await list(asked, `?cursor=${given}`);
      expect([answer.status, answer.json()]).toMatchObject([
        400,
        { code: 'validation_failed', errors: [{ field: 'cursor' }] },
      ]);
    }
  });

  test('is 410 once events behind it have been removed, and says what to do; so is a time that was read up to', async () => {
    const tenant = newTenant();
    for (const n of [1, 2, 3]) await write(eventFact({ tenant, eventId: `evt_${n}` }));
    const [first, second] = (await list(tenant, '')).json<EventJson[]>();
    const cursor = cursorOf(await list(tenant, `?limit=2`));
    await api.postgres.query('DELETE FROM events WHERE tenant = $1 AND id IN ($2, $3)', [tenant, 'evt_1', 'evt_2']);
    await api.postgres.query('INSERT INTO retention_horizons VALUES ($1, $2)', [tenant, second?.updated_at]);

    const expired = await list(tenant, `?updated_at_gte=${first?.updated_at}`);
    expect([expired.status, expired.json()]).toMatchObject([410, { code: 'cursor_expired' }]);
    expect(expired.text).toContain('list events again');
    expect((await list(tenant, `?updated_at_gte=${first?.updated_at}&wait=5`)).status).toBe(410);
    // A reader that is past the removed events has missed nothing.
    for (const query of [
      `?cursor=${cursor}`,
      `?updated_at_gte=${second?.updated_at}`,
      '',
      '?updated_at_gte=1970-01-01T00:00:00Z',
    ])
      expect(idsOf(await list(tenant, query))).toEqual(['evt_3']);
    await api.postgres.query('UPDATE retention_horizons SET events_removed_to = $2 WHERE tenant = $1', [
      tenant,
      formatMicros((parseRfc3339(second?.updated_at ?? '') ?? 0) + 1),
    ]);
    expect((await list(tenant, `?cursor=${cursor}`)).json()).toMatchObject({ status: 410, code: 'cursor_expired' });
  });

  test('of a tenant without events, whatever it was asked for, stands before the first one; and expires as others do', async () => {
    const tenant = newTenant();
    const cursors = [
      cursorOf(await list(tenant, '')),
      cursorOf(await list(tenant, '?updated_at_gte=9999-12-31T23:59:59Z')),
    ];
    await write(eventFact({ tenant, eventId: 'evt_1' }));
    const [first] = (await list(tenant, '')).json<EventJson[]>();
    for (const cursor of cursors) expect(idsOf(await list(tenant, `?cursor=${cursor}`))).toEqual(['evt_1']);
    await api.postgres.query('DELETE FROM events WHERE tenant = $1', [tenant]);
    await api.postgres.query('INSERT INTO retention_horizons VALUES ($1, $2)', [tenant, first?.updated_at]);
    for (const cursor of cursors) expect((await list(tenant, `?cursor=${cursor}`)).status).toBe(410);
  });

  test('that is asked for at the end of time stands behind all that there is', async () => {
    const tenant = newTenant();
    await write(eventFact({ tenant, eventId: 'evt_1' }));
    const now = cursorOf(await list(tenant, '?updated_at_gte=9999-12-31T23:59:59Z'));
    await write(eventFact({ tenant, eventId: 'evt_2' }));
    expect(idsOf(await list(tenant, `?cursor=${now}`))).toEqual(['evt_2']);
  });

  test('is what the link to the next page goes by, behind a later updated_at_gte', async () => {
    const tenant = newTenant();
    for (const n of [1, 2, 3, 4, 5]) await write(eventFact({ tenant, eventId: `evt_${n}` }));
    const since = (await list(tenant, '')).json<EventJson[]>()[1]?.updated_at;
    const seen: string[] = [];
    for (let path: string | undefined = `/v1/events?limit=2&updated_at_gte=${since}`; path !== undefined;) {
      const answer = await api.ask({ path, tenant });
      seen.push(...idsOf(answer));
      path = nextPath(answer.headers.link);
    }
    expect(seen).toEqual(['evt_2', 'evt_3', 'evt_4', 'evt_5']);
  });
});

describe('a request with wait', () => {
  test('is answered at once where there is something', async () => {
    const tenant = newTenant();
    await write(eventFact({ tenant, eventId: 'evt_1' }));
    expect(idsOf(await list(tenant, '?wait=60'))).toEqual(['evt_1']);
  });

  test('is held until an event comes, and answered within 100 ms of it', async () => {
    const tenant = newTenant();
    let cursor = '';
    let written = 0;
    const answerTakesMs = async (): Promise<number> => {
      written += 1;
      const { answer } = await held(tenant, `?wait=30${cursor}`);
      await write(eventFact({ tenant, eventId: `evt_${written}` }));
      const committedAtMs = performance.now();
      const found = await answer;
      const tookMs = performance.now() - committedAtMs;
      expect([found.status, idsOf(found)]).toEqual([200, [`evt_${written}`]]);
      cursor = `&cursor=${cursorOf(found)}`;
      return tookMs;
    };
    expect(await fastestOfThreeMs(answerTakesMs)).toBeLessThan(100);
    expect(idsOf(await list(tenant, `?limit=10${cursor}`))).toEqual([]);
  });

  test('looks no more where another has looked and nothing was notified since, and misses nothing by it', async () => {
    const tenant = newTenant();
    await write(eventFact({ tenant, eventId: 'evt_1' }));
    const cursor = cursorOf(await list(tenant, ''));
    const first = await held(tenant, `?wait=30&cursor=${cursor}`);
    const others = await Promise.all(Array.from({ length: 5 }, () => held(tenant, `?wait=30&cursor=${cursor}`)));
    await write(eventFact({ tenant, eventId: 'evt_2' }));
    for (const { answer } of [first, ...others]) expect(idsOf(await answer)).toEqual(['evt_2']);
    // The cursor is after the last event, or before it: this one is there already.
    const again = await held(tenant, `?wait=1&cursor=${cursorOf(await first.answer)}`);
    expect(idsOf(await list(tenant, `?wait=30&cursor=${cursor}`))).toEqual(['evt_2']);
    expect((await again.answer).status).toBe(204);
    expect(cursorOf(await again.answer)).toBe(cursorOf(await first.answer));
  });

  test('waits on for what its filters take: a status, a type, a source, a receipt of a duplicate', async () => {
    const tenant = newTenant();
    const event = { tenant, eventId: 'evt_1' };
    const waiting = {
      status: await held(tenant, '?wait=30&status=completed'),
      type: await held(tenant, '?wait=30&type=b'),
      source: await held(tenant, '?wait=30&source_id=src_2'),
      receipt: await held(tenant, '?wait=30&receipt_id=rcp_of_again'),
    };
    const statusOf = (answer: Answer) => answer.json<EventJson[]>()[0]?.status;
    await write(eventFact(event));
    await write(duplicateFact(event, { origin: 'again' }));
    expect(idsOf(await waiting.receipt.answer)).toEqual(['evt_1']);
    await write(fanOutFact(event, []));
    expect(statusOf(await waiting.status.answer)).toBe('completed');
    await write(eventFact({ tenant, eventId: 'evt_2' }, { type: 'b' }));
    expect(idsOf(await waiting.type.answer)).toEqual(['evt_2']);
    await write(eventFact({ tenant, eventId: 'evt_3' }, { source_id: 'src_2' }));
    expect(idsOf(await waiting.source.answer)).toEqual(['evt_3']);
  });

  test('ends with 204, no body, and a cursor; the one that was sent holds as well', async () => {
    const tenant = newTenant();
    await write(eventFact({ tenant, eventId: 'evt_1' }));
    const sent = cursorOf(await list(tenant, ''));
    const began = performance.now();
    const over = await list(tenant, `?wait=1&cursor=${sent}`);
    expect(performance.now() - began).toBeGreaterThan(900);
    expect([over.status, over.text, over.headers['content-type']]).toEqual([204, '', undefined]);
    await write(eventFact({ tenant, eventId: 'evt_2' }));
    for (const cursor of [sent, cursorOf(over)])
      expect(idsOf(await list(tenant, `?wait=30&cursor=${cursor}`))).toEqual(['evt_2']);
  });

  test('may say so by Prefer, and is told that it was followed', async () => {
    const tenant = newTenant();
    const began = performance.now();
    const over = await list(tenant, '', { prefer: 'respond-async, wait=1' });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect([over.status, over.headers['preference-applied']]).toEqual([204, 'wait=1']);
    await write(eventFact({ tenant, eventId: 'evt_1' }));
    const found = await list(tenant, '', { prefer: 'wait=600' });
    expect([found.status, found.headers['preference-applied']]).toEqual([200, 'wait=60']);
  });

  test('that has its events already, by ETag, is held for what is new, and else ends with 304', async () => {
    const tenant = newTenant();
    await write(eventFact({ tenant, eventId: 'evt_1' }));
    const { headers } = await list(tenant, '');
    const known = { 'if-none-match': headers.etag ?? '' };
    expect((await list(tenant, '?wait=1', known)).status).toBe(304);
    const { answer } = await held(tenant, '?wait=30', known);
    await write(eventFact({ tenant, eventId: 'evt_2' }));
    expect(idsOf(await answer)).toEqual(['evt_1', 'evt_2']);
  });

  test('above the key’s number is 429 with a time to come again, and the others stay held', async () => {
    const tenant = newTenant();
    const waiting: { answer: Promise<Answer> }[] = [];
    for (let n = 0; n < maxHeldPerCredential; n += 1) waiting.push(await held(tenant, '?wait=30'));
    const refused = await list(tenant, '?wait=30');
    expect([refused.status, refused.json()]).toMatchObject([429, { code: 'rate_limited' }]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await list(tenant, '')).status).toBe(200);
    await write(eventFact({ tenant, eventId: 'evt_1' }));
    for (const { answer } of waiting) expect(idsOf(await answer)).toEqual(['evt_1']);
    expect(await api.waiting()).toBe(0);
  });

  test('frees its place when its client leaves', async () => {
    const tenant = newTenant();
    const headers = { authorization, 'hookline-tenant': tenant };
    for (let round = 0; round < 10; round += 1) {
      const leaving = Array.from({ length: maxHeldPerCredential }, () =>
        request({ port: api.port, path: '/v1/events?wait=60', headers, agent: false })
          .on('error', () => undefined)
          .end(),
      );
      await waitUntil('all are held', async () => (await api.waiting()) === maxHeldPerCredential, { everyMs: 5 });
      leaving.forEach((client) => client.destroy());
      await waitUntil('none is', async () => (await api.waiting()) === 0, { everyMs: 5 });
    }
  });

  test('hears of changes after the connection that tells of them was lost, and of those in between', async () => {
    const tenant = newTenant();
    const [missed, later] = [await held(tenant, '?wait=30'), await held(tenant, '?wait=30&type=b')];
    const listeners = `FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()`;
    await api.postgres.transaction(async (tx) => {
      await tx.query(`SELECT pg_terminate_backend(pid) ${listeners}`, [listenerName]);
    });
    await write(eventFact({ tenant, eventId: 'evt_1' }));
    expect(idsOf(await missed.answer)).toEqual(['evt_1']);
    await waitUntil(
      'it listens again',
      async () => (await api.postgres.query(`SELECT ${listeners}`, [listenerName])).length > 0,
    );
    await write(eventFact({ tenant, eventId: 'evt_2' }, { type: 'b' }));
    expect(idsOf(await later.answer)).toEqual(['evt_2']);
  });
});

describe('an answer', () => {
  test('has an ETag that changes with its body alone, by which it need not be sent again', async () => {
    const tenant = newTenant();
    await write(eventFact({ tenant, eventId: 'evt_1' }));
    const first = await list(tenant, '');
    const etag = first.headers.etag ?? '';
    expect((await list(tenant, '')).headers.etag).toBe(etag);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await list(tenant, '', { 'if-none-match': known });
      expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', etag]);
      expect(cursorOf(answer)).toBe(cursorOf(first));
    }
    await write(fanOutFact({ tenant, eventId: 'evt_1' }, []));
    const changed = await list(tenant, '', { 'if-none-match': etag });
    expect([changed.status, changed.headers.etag === etag]).toEqual([200, false]);
  });

  test('is one client’s own, and says when to ask again', async () => {
    const [mine, theirs] = [newTenant(), newTenant()];
    await write(eventFact({ tenant: mine, eventId: 'evt_1' }), eventFact({ tenant: theirs, eventId: 'evt_2' }));
    const answers = [await list(mine, ''), await list(theirs, '')];
    for (const { headers } of answers) {
      expect(headers.vary).toMatch(/Authorization.*Hookline-Tenant/);
      expect(headers['cache-control']).toBe('private, no-cache');
      expect(headers['x-poll-interval']).toBe('5');
    }
    expect(isDeepStrictEqual(answers[0]?.headers.etag, answers[1]?.headers.etag)).toBe(false);
  });
});

test('when the process stops, those who are held are answered at once', async () => {
  const answersTakeMs = async (): Promise<number> => {
    const stopping = await openPollingApi();
    const answers = Array.from({ length: 10 }, () => stopping.ask({ path: '/v1/events?wait=60', tenant: 'acme' }));
    await waitUntil('all are held', async () => (await stopping.waiting()) === 10, { everyMs: 5 });
    const began = performance.now();
    stopping.closing.abort();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 204));
    const tookMs = performance.now() - began;
    await stopping.close();
    return tookMs;
  };
  expect(await fastestOfThreeMs(answersTakeMs)).toBeLessThan(1_000);
});
