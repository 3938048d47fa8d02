import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { problemReply, readToken, tenantToken } from '../../support/console/fake-api.ts';

const endpoint = (id: string, more: object = {}) => ({
  id,
  url: `https://${id}.example/hooks`,
  description: '',
  event_types: [],
  created_at: '2026-01-01T00:00:00.000000Z',
  disabled_at: null,
  disabled_reason: null,
  failing_since: null,
  paused_at: null,
  ...more,
});
const failing = endpoint('ep_crm', { failing_since: '2026-01-01T14:02:00.000000Z' });
const disabled = endpoint('ep_old', { disabled_at: '2025-12-31T10:00:00.000000Z', disabled_reason: 'gone' });

interface Counted {
  series: string;
  key?: string | null;
  counts: readonly (readonly [at: string, count: number])[];
}

const stats = (series: readonly Counted[], more: object = {}) => ({
  step: '1h',
  by: null,
  since: '2025-12-31T16:00:00.000000Z',
  until: '2026-01-01T16:00:00.000000Z',
  counted_since: '2025-01-01T00:00:00.000000Z',
  series: series.map(({ counts, key = null, ...one }) => ({
    ...one,
    key,
    counts: counts.map(([at, count]) => ({ at, count })),
  })),
  ...more,
});
const at14 = '2026-01-01T14:00:00.000000Z';
const at15 = '2026-01-01T15:00:00.000000Z';

/** A console whose API has something of everything. */
function buildBusyConsole() {
  const console = buildTestConsole();
  const { api } = console;
  api.on('GET /v1/stats', ({ path }) => {
    const by = new URLSearchParams(path.split('?')[1]).get('by');
    if (by === 'endpoint')
      return {
        body: stats([
          { series: 'delivered', key: 'ep_erp', counts: [[at14, 970]] },
          { series: 'failed', key: 'ep_erp', counts: [[at14, 30]] },
          { series: 'failed', key: 'ep_crm', counts: [[at14, 211]] },
        ]),
      };
    if (by === 'type')
      return {
        body: stats([
          { series: 'received', key: 'customer.updated', counts: [[at14, 4_117]] },
          { series: 'received', key: '<b>type</b>', counts: [[at14, 9_000]] },
          { series: 'received', key: 'other', counts: [[at14, 5]] },
          { series: 'delivered', key: '<b>type</b>', counts: [[at14, 999]] },
          { series: 'dead_lettered', key: '<b>type</b>', counts: [[at14, 1]] },
        ]),
      };
    if (by === 'source') return { body: stats([{ series: 'rejected', key: 'src_1', counts: [[at14, 12]] }]) };
    return {
      body: stats([
        {
          series: 'received',
          counts: [
            [at14, 18_000],
            [at15, 204],
          ],
        },
        { series: 'duplicates', counts: [[at14, 311]] },
        { series: 'rejected', counts: [[at14, 12]] },
        { series: 'delivered', counts: [[at14, 9_920]] },
        { series: 'dead_lettered', counts: [[at14, 80]] },
        {
          series: 'failed',
          counts: [
            [at14, 500],
            [at15, 7],
          ],
        },
      ]),
    };
  });
  api.on('GET /v1/endpoints', { body: [failing, endpoint('ep_erp'), disabled] });
  api.on('GET /v1/endpoints?failing=true&status=enabled&limit=11', { body: [failing] });
  api.on('GET /v1/endpoints?status=disabled&limit=11', { body: [disabled] });
  api.on('GET /v1/endpoints/ep_crm/health', {
    body: {
      breaker: { state: 'open' },
      disables_at: '2026-01-06T14:02:00.000000Z',
      latency: { attempts: 200, p50_ms: 12.3, p95_ms: 184 },
      waiting: { retrying: 400, parked: 12, is_capped: false, oldest: '2026-01-01T14:02:01.000000Z' },
    },
  });
  api.on('GET /v1/sources', { body: [{ id: 'src_1', name: 'Stripe <live>' }] });
  api.on('POST /v1/dead-letters/replay', {
    status: 202,
    body: {
      dry_run: true,
      matched: 38,
      left_out: 0,
      by_reason: [
        { stage: 'dispatcher', reason: 'data_invalid', letters: 3 },
        { stage: 'dispatcher', reason: 'retries_exhausted', letters: 35 },
      ],
    },
  });
  api.on('GET /v1/replays', {
    body: [
      { id: 'rpl_1', status: 'running', matched: 38, replayed: 26, failed: 1, remaining: 11 },
      { id: 'rpl_0', status: 'completed', matched: 7, replayed: 7, failed: 0, remaining: 0 },
    ],
  });
  api.on('GET /v1/events', { body: [{ id: 'evt_1' }] });
  return console;
}

/** The text of a document, without its tags. */
const textOf = (body: string): string =>
  body
    .replaceAll('<wbr>', '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([,.])/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');

describe('the overview', () => {
  test('begins with what needs the reader, and says so in its number', async () => {
    const { get } = buildBusyConsole();
    const { statusCode, body } = await get('/t/acme', tenantToken);
    expect(statusCode).toBe(200);
    const text = textOf(body);
    expect(text).toContain('Needs you (5)');
    expect(text).toContain('184 ms');
    expect(text).toContain(
      '412 wait, the oldest since 2026-01-01 14:02 UTC · will be disabled at 2026-01-06 14:02 UTC',
    );
    expect(text).toContain('since 2025-12-31 10:00 UTC, because it answered 410');
    expect(text).toContain('38 dead letters by reason: 35 retries exhausted, 3 data invalid');
    expect(text).toContain('Stripe <live> 12 webhooks rejected');
    expect(text).toContain('Replay of 38 items 27 of 38 done, 1 failed');
    expect(body).toContain('href="/t/acme/dead-letters?reason=retries_exhausted&amp;status=dead"');
    expect(body).not.toContain('rpl_0');
  });

  test('counts as the API does, and says what is counted', async () => {
    const { get } = buildBusyConsole();
    const { body } = await get('/t/acme', tenantToken);
    const figures = [
      ...body.matchAll(/<div class="figure-value">(.*?)<\/div>.*?figure-label">(.*?)<.*?<p>(.*?)<\/p>/gs),
    ];
    expect(figures.map(([, value = '', label]) => [label, textOf(value).trim()])).toEqual([
      ['Received', '18,204'],
      ['Duplicates', '311'],
      ['Rejected', '12'],
      ['Delivered', '99.2 %'],
      ['Failed attempts', '507'],
    ]);
    for (const [, , , definition = ''] of figures) expect(definition.length).toBeGreaterThan(40);
  });

  test('has charts, each with a table of the same numbers', async () => {
    const { get } = buildBusyConsole();
    const { body } = await get('/t/acme', tenantToken);
    const charts = body.match(/<figure class="chart.*?<\/figure>/gs) ?? [];
    expect(charts).toHaveLength(2);
    const [received = ''] = charts;
    expect(received).toContain('aria-label="Received: 18,204 in all, at most 18,000 in one hour"');
    expect(received.match(/class="bar"/g)).toHaveLength(24);
    const drawn = [...received.matchAll(/<title>.*?: ([\d,]+)<\/title>/g)].map(([, count]) => count);
    const listed = [...received.matchAll(/<td class="number">(.*?)<\/td>/g)].map(([, count]) => count);
    expect(listed).toEqual(drawn);
    expect(listed.filter((count) => count !== '0')).toEqual(['18,000', '204']);
  });

  test('lists endpoints worst first and types most first, and escapes them', async () => {
    const { get } = buildBusyConsole();
    const { body } = await get('/t/acme', tenantToken);
    const text = textOf(body);
    expect(text).toMatch(
      /Endpoints, worst first.*ep_crm\.example\/hooks 0\.0 % 211 184 ms 412.*open.*ep_erp\.example\/hooks 97\.0 % 30/,
    );
    expect(text).toMatch(/Types, most first.*<b>type<\/b> 9,000 99\.9 % customer\.updated 4,117 – all others 5/);
    expect(body).not.toContain('<b>type');
    expect(body).toContain('href="/t/acme/events?type=%3Cb%3Etype%3C%2Fb%3E"');
  });

  test.each([
    ['1h', '1m'],
    ['24h', '1h'],
    ['30d', '1d'],
  ])('counts %s by %s', async (since, step) => {
    const { get, api } = buildBusyConsole();
    const { statusCode, body } = await get(`/t/acme?since=${since}`, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain(`href="/t/acme?since=${since}" aria-current="true"`);
    const asked = api.calls.filter(({ path }) => path.startsWith('/v1/stats')).map(({ path }) => path);
    for (const path of asked) expect(path).toContain(`step=${step}`);
  });

  test('of a time that can’t be chosen is a 400', async () => {
    const { get, api } = buildBusyConsole();
    const { statusCode, body } = await get('/t/acme?since=2y', tenantToken);
    expect([statusCode, body.includes('must be one of 1h, 24h, 30d')]).toEqual([400, true]);
    expect(api.calls.filter(({ path }) => path !== '/v1/me')).toEqual([]);
  });

  test('says since when it counts, where that is later than its beginning', async () => {
    const { get, api } = buildBusyConsole();
    expect((await get('/t/acme', tenantToken)).body).not.toContain('Counting began');
    api.on('GET /v1/stats', {
      body: stats([{ series: 'received', counts: [[at15, 3]] }], { counted_since: '2026-01-01T13:30:00.000000Z' }),
    });
    const { body } = await get('/t/acme', tenantToken);
    expect(textOf(body)).toContain('Counting began at 2026-01-01 13:30 UTC');
    const [received = ''] = body.match(/<figure class="chart.*?<\/figure>/s) ?? [];
    expect(received.match(/not counted<\/td>/g)).toHaveLength(21);
    expect(received.match(/class="bar"/g)).toHaveLength(3);
  });

  test('whose parts can’t all be asked is a 200 that names what is missing', async () => {
    const { get, api } = buildBusyConsole();
    api.on('GET /v1/stats', problemReply(503, 'unavailable'));
    api.on('GET /v1/replays', 'away');
    const { statusCode, body } = await get('/t/acme', tenantToken);
    expect(statusCode).toBe(200);
    const text = textOf(body);
    for (const part of ['The counts', 'Counts by endpoint', 'Counts by type', 'Rejections of sources'])
      expect(text).toContain(`${part} can’t be shown now: the API answered 503`);
    expect(text).toContain('Replays can’t be shown now: the API does not answer');
    expect(text).toContain('38 dead letters');
  });

  test('of which nothing can be asked is a 503', async () => {
    const { get, api } = buildTestConsole();
    for (const path of ['stats', 'endpoints', 'replays', 'sources', 'events']) api.on(`GET /v1/${path}`, 'away');
    api.on('POST /v1/dead-letters/replay', problemReply(503, 'unavailable'));
    const { statusCode, headers } = await get('/t/acme', tenantToken);
    expect([statusCode, headers['retry-after']]).toEqual([503, '5']);
  });

  test.each([
    [401, 'unauthorized', 401],
    [410, 'gone', 410],
    [403, 'forbidden', 403],
  ])('is a %i where one part says that of the whole', async (status, code, page) => {
    const { get, api } = buildBusyConsole();
    api.on('GET /v1/replays', problemReply(status, code));
    expect((await get('/t/acme', tenantToken)).statusCode).toBe(page);
  });

  test('of a tenant without anything tells the first steps, with commands for this tenant', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/stats', { body: stats([]) });
    for (const path of ['endpoints', 'replays', 'sources', 'events']) api.on(`GET /v1/${path}`, { body: [] });
    api.on('POST /v1/dead-letters/replay', {
      status: 202,
      body: { dry_run: true, matched: 0, left_out: 0, by_reason: [] },
    });
    const { statusCode, body } = await get('/t/acme', tenantToken);
    expect(statusCode).toBe(200);
    expect(textOf(body)).toContain('./hookline endpoints create --url https://example.com/hooks --tenant acme');
    expect(body).toContain('href="/t/acme/sources/new"');
    expect(textOf(body)).toContain('Nothing No endpoint fails');
    expect((await get('/t/acme', readToken)).body).not.toContain('/sources/new');
  });

  test('shows no action to who may only read', async () => {
    const { get } = buildBusyConsole();
    expect((await get('/t/acme', tenantToken)).body).toContain('/replays/new');
    const { statusCode, body } = await get('/t/acme', readToken);
    expect([statusCode, body.includes('/replays/new')]).toEqual([200, false]);
  });
});
