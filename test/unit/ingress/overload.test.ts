import { createManualClock } from '#lib/runtime';
import type { Source } from '../../../services/ingress/sources/source.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { closeApps, createHarness, type Harness, requestsTotal, signed, sourceOf } from './harness.ts';
import { connectRaw } from './raw-client.ts';

afterEach(closeApps);

const body = Buffer.from('{"id":"evt_1"}');
const post = (harness: Harness) => harness.send({ body, headers: signed(body) });
const turnedAway = 'hookline_ingress_turned_away_total';

describe('a source with a rate limit', () => {
  const limited = (): Source => sourceOf({ settings: { rate_limit: { per_second: 0.01, burst: 2 } } });

  test('takes its burst; then webhooks are 429 with the seconds until the next, counted, and nothing is produced', async () => {
    const harness = createHarness({ source: limited() });
    expect([(await post(harness)).status, (await post(harness)).status]).toEqual([202, 202]);
    const answer = await post(harness);
    expect(answer.status).toBe(429);
    expect(answer.json()).toMatchObject({
      code: 'rate_limited',
      status: 429,
      limit: 'source_rate',
      detail: 'The source has reached its rate (source_rate), raised by rate_limit of the source',
    });
    // A hundred seconds a webhook, some of which have passed.
    expect(answer.headers['retry-after']).toMatch(/^(100|9\d)$/);
    expect(harness.producer.records).toHaveLength(2);
    expect(await harness.metric(requestsTotal, { source: harness.source.id, outcome: 'rate_limited' })).toBe(1);
  });

  test('is judged before the body is read: the answer comes with the body still to be sent', async () => {
    const harness = createHarness({ source: limited() });
    await post(harness);
    await post(harness);
    const client = await connectRaw(await harness.port());
    const headers = { host: 'ingress', ...signed(body), 'content-length': '1000' };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    client.write(`POST /v1/webhooks/${harness.source.id} HTTP/1.1\r\n${lines.join('')}\r\n`);
    await client.until(/ 429 Too Many Requests[^]*"rate_limited"/);
  });

  test('does not spend permits on what has no signature, and others go on', async () => {
    const harness = createHarness({ source: limited() });
    for (let each = 0; each < 5; each += 1) expect((await harness.send({ body })).status).toBe(401);
    expect((await post(harness)).status).toBe(202);
  });
});

describe('where there is no room', () => {
  test('a webhook is 503 before its body is read, with a Retry-After that is not the same for all', async () => {
    let turn = 0;
    const random = (size: number): Buffer => Buffer.alloc(size, (turn += 1));
    const harness = createHarness({ loopDelayMs: () => 1_000, deps: { random } });
    const delays = new Set<string | undefined>();
    for (let each = 0; each < 12; each += 1) {
      const answer = await harness.send({ body, headers: signed(body) });
      expect([answer.status, answer.json()['code']]).toEqual([503, 'unavailable']);
      delays.add(answer.headers['retry-after']);
    }
    expect([...delays].sort()).toEqual(['2', '3', '4', '5']);
    expect(harness.producer.records).toEqual([]);
    expect(await harness.metric(turnedAway, { reason: 'starved' })).toBe(12);
    expect(await harness.metric(requestsTotal, { outcome: 'unavailable' })).toBe(12);
  });

  test('it is logged once a second at most, with how many they were', async () => {
    const clock = createManualClock(Date.now());
    const harness = createHarness({ loopDelayMs: () => 1_000, deps: { clock } });
    for (let each = 0; each < 5; each += 1) await post(harness);
    await clock.advance(1_000);
    await post(harness);
    expect(harness.logged).toMatchObject(
      [1, 5].map((starved) => ({ level: 'warn', event: 'ingress.busy', turnedAway: { starved } })),
    );
  });

  test('who is not known hears that all the same: it costs no more', async () => {
    const harness = createHarness({ loopDelayMs: () => 1_000 });
    const unknown = { path: '/v1/webhooks/src_00000000000000000000000000', body };
    expect((await harness.send(unknown)).status).toBe(404);
  });
});

test('a webhook whose source took nearly two seconds to find is 503, however quick Kafka is, and nothing is produced', async () => {
  const clock = createManualClock(Date.now());
  const source = sourceOf();
  let lookUpMs = 1_800;
  const lookUp = async (): Promise<Source> => {
    await clock.advance(lookUpMs);
    return source;
  };
  const harness = createHarness({
    source,
    deps: { clock, sources: { known: () => undefined, lookUp, recent: () => undefined } },
  });
  expect((await post(harness)).status).toBe(202);
  lookUpMs = 1_900;
  expect((await post(harness)).status).toBe(503);
  expect(harness.producer.records).toHaveLength(1);
});

describe('connections', () => {
  const open = async (harness: Harness): Promise<number> =>
    new Promise((resolve) => harness.app.server.getConnections((_error, count) => resolve(count)));

  test('beyond the limit are answered 503 and ended, a tenth beyond it closed at once; there is room again when others leave', async () => {
    const harness = createHarness({ deps: { maxConnections: 10 } });
    const port = await harness.port();
    const within = [];
    for (let each = 0; each < 10; each += 1) within.push(await connectRaw(port));
    await waitUntil('all are open', async () => (await open(harness)) === 10, { everyMs: 5 });

    const beyond = await connectRaw(port);
    await waitUntil('one more is open', async () => (await open(harness)) === 11, { everyMs: 5 });
    const dropped = await connectRaw(port);
    await dropped.closed;
    expect(dropped.received()).toBe('');
    beyond.write(`POST /v1/webhooks/${harness.source.id} HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`);
    const answer = await beyond.until(/ 503 Service Unavailable[^]*"unavailable"/);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toMatch(/retry-after: \d/i);
    await beyond.closed;
    expect(await harness.metric(turnedAway, { reason: 'connections' })).toBe(1);
    expect(await harness.metric(turnedAway, { reason: 'dropped' })).toBe(1);

    within.pop()?.socket.destroy();
    await waitUntil('one has left', async () => (await open(harness)) === 9, { everyMs: 5 });
    expect((await post(harness)).status).toBe(202);
  });
});
