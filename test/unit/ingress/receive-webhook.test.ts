import { createHmac } from 'node:crypto';
import { header, maxPayloadBytes, parseReceivedWebhook, trailMark } from '#lib/contract';
import type { OutgoingRecord } from '#lib/kafka';
import { problemCodes, type ProblemCode } from '#lib/problem';
import { type CrashPointName, createManualClock } from '#lib/runtime';
import { createTrails } from '#lib/signatures';
import { testTrails } from '../../support/trails.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createFakeProducer } from './fake-producer.ts';
import {
  type Answer,
  closeApps,
  createHarness,
  type Harness,
  requestsTotal,
  secret,
  signed,
  sourceOf,
} from './harness.ts';

const body = Buffer.from('{"id":"evt_1","type":"order.created"}');
const receiptId = /^rcp_[0-9a-z]{26}$/;

afterEach(closeApps);

const post = (harness: Harness, payload: Buffer | string, headers: Record<string, string | string[]>, id?: string) =>
  harness.send({ body: payload, headers, ...(id === undefined ? {} : { path: `/v1/webhooks/${id}` }) });

function expectProblem(answer: Answer, code: ProblemCode): void {
  expect(answer.json()).toMatchObject({ code, status: problemCodes[code].status, title: problemCodes[code].title });
  expect(answer.status).toBe(problemCodes[code].status);
  expect(answer.headers['content-type']).toBe('application/problem+json');
}

/** The webhook of a record, as dedup reads it. */
function webhookOf(record: OutgoingRecord | undefined) {
  const texts = Object.entries(record?.headers ?? {}).map(([name, value]) => [name, String(value)] as const);
  return parseReceivedWebhook(Object.fromEntries(texts), record?.value ?? Buffer.alloc(0));
}

describe('an accepted webhook', () => {
  test('is answered 202 with a receipt, counted, and handed to the producer byte for byte', async () => {
    const harness = createHarness();
    const answer = await post(harness, body, { ...signed(body), 'content-type': 'application/json' });
    expect(answer.status).toBe(202);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json()).toEqual({ id: expect.stringMatching(receiptId) as string });
    expect(harness.producer.records).toHaveLength(1);
    expect(harness.producer.records[0]).toMatchObject({ topic: 'test.webhooks.received', key: null, value: body });
    expect(await harness.metric(requestsTotal, { source: harness.source.id, outcome: 'accepted' })).toBe(1);
    expect(await harness.metric('hookline_ingress_ack_seconds', { le: '+Inf' })).toBe(1);
    expect(harness.logged).toEqual([]);
  });

  /** Whether a webhook is answered while its record waits for its acknowledgment. */
  async function isAnsweredBefore(harness: Harness): Promise<boolean> {
    harness.producer.hold();
    let answered = false;
    const answer = post(harness, body, signed(body)).then((given) => ((answered = true), given));
    await waitUntil('it is produced', () => harness.producer.pending().records === 1, { everyMs: 5 });
    // Longer than an answer takes: a second webhook's, which is refused, comes and goes meanwhile.
    for (let turn = 0; turn < 3; turn += 1) expect((await post(harness, body, {})).status).toBe(401);
    const answeredBefore = answered;
    harness.producer.release();
    expect((await answer).status).toBe(202);
    return answeredBefore;
  }

  test('is answered only once the record is acknowledged', async () => {
    const harness = createHarness();
    expect(await isAnsweredBefore(harness)).toBe(false);
    expect(await harness.metric('hookline_ingress_pending_records')).toBe(0);
  });

  test('(mutant) of an ingress that does not wait for the acknowledgment, the same check says so', async () => {
    const held = createFakeProducer();
    const hasty = {
      send: (record: OutgoingRecord) => {
        void held.send(record);
        return Promise.resolve({ topic: record.topic, partition: 0, offset: 0n });
      },
    };
    const harness = createHarness({ producer: hasty });
    expect(await isAnsweredBefore({ ...harness, producer: held })).toBe(true);
  });

  test('counts as pending until then', async () => {
    const harness = createHarness();
    harness.producer.hold();
    const answer = post(harness, body, signed(body));
    const pending = (): Promise<number> => harness.metric('hookline_ingress_pending_records');
    await waitUntil('it is pending', async () => (await pending()) === 1, { everyMs: 5 });
    harness.producer.release();
    await answer;
    expect(await pending()).toBe(0);
  });

  test('has the trail that this installation has signed, and none from anybody else', async () => {
    const trail = [trailMark('src_of_another')];
    const foreign = createTrails([{ id: 'test', key: Buffer.alloc(32, 4) }]);
    const trails = [testTrails.sign(trail), foreign.sign(trail), 'v1.forged', undefined];
    const got = [];
    for (const header of trails) {
      const harness = createHarness();
      const answer = await post(harness, body, { ...signed(body), ...(header && { 'Hookline-Trail': header }) });
      expect(answer.status).toBe(202);
      got.push(webhookOf(harness.producer.records[0]));
    }
    expect(got.map((webhook) => 'trail' in webhook && webhook.trail)).toEqual([trail, [], [], []]);
  });

  test('has a record that says all that is known of it', async () => {
    const clock = createManualClock(1_764_576_000_123);
    const harness = createHarness({ deps: { clock } });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const answer = await post(harness, body, {
      ...signed(body, 1_764_576_000),
      'Content-Type': 'application/cloudevents+json; charset=utf-8',
      Authorization: 'Bearer of-the-sender',
      'Proxy-Authorization': 'Basic x',
      Cookie: 'session=1',
      'X-Twice': ['one', 'two'],
      traceparent,
    });
    expect(webhookOf(harness.producer.records[0])).toEqual({
      tenant: 'acme',
      sourceId: harness.source.id,
      receiptId: answer.json().id,
      receivedAt: 1_764_576_000_123_000,
      contentType: 'application/cloudevents+json; charset=utf-8',
      contentEncoding: null,
      httpHeaders: {
        'content-type': 'application/cloudevents+json; charset=utf-8',
        'content-length': String(body.length),
        'hookline-signature': expect.any(String) as string,
        host: expect.any(String) as string,
        connection: 'close',
        traceparent,
        'x-twice': 'one, two',
      },
      sealedHeaders: {},
      identifyBy: [{ pointer: '/id' }, { pointer: '/event_id' }, { pointer: '/message_id' }],
      countedWith: null,
      identifiesForm: false,
      typeBy: [{ pointer: '/type' }],
      tagsBy: {},
      request: {
        secret: ['hookline-signature'],
        method: 'POST',
        path: `/v1/webhooks/${harness.source.id}`,
        address: '127.0.0.1',
        names: expect.stringMatching(/^hookline-signature,Content-Type,Authorization,.*,X-Twice,X-Twice,/) as string,
        repeated: { 'x-twice': ['one', 'two'] },
      },
      trail: [],
      dedupTtlSeconds: 259_200,
      orderingKey: null,
      traceparent,
      origin: null,
      body,
    });
  });

  test('starts a trace of its own where the sender’s traceparent is none', async () => {
    const harness = createHarness();
    await post(harness, body, { ...signed(body), traceparent: '00-zz' });
    expect(String(harness.producer.records[0]?.headers[header.traceparent])).toMatch(
      /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/,
    );
  });

  test.each([
    ['not JSON', Buffer.from('} I am not valid JSON; 123]['), 'application/json'],
    ['not UTF-8', Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x0d]), 'application/octet-stream'],
    ['empty', Buffer.alloc(0), 'application/json'],
    ['of no content type', Buffer.from('x'), undefined],
    ['of a content type that is none', Buffer.from('x'), ';;;'],
    ['a form', Buffer.from('a=1&a=2'), 'application/x-www-form-urlencoded'],
    ['exactly at the limit', Buffer.alloc(maxPayloadBytes, 'x'), 'text/plain'],
  ])('may be %s', async (_what, bytes, contentType) => {
    const harness = createHarness();
    const type: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
    expect((await post(harness, bytes, { ...signed(bytes), ...type })).status).toBe(202);
    expect(harness.producer.records[0]?.value.equals(bytes)).toBe(true);
    expect(webhookOf(harness.producer.records[0])).toMatchObject({ contentType: contentType ?? '' });
  });

  test.each([
    ['gzip', 'gzip'],
    [['gzip', 'br'], 'gzip, br'],
    ['none that anybody knows', 'none that anybody knows'],
    ['', null],
  ])('with the Content-Encoding %j is taken as the bytes that came, under that', async (given, contentEncoding) => {
    const harness = createHarness();
    expect((await post(harness, body, { ...signed(body), 'content-encoding': given })).status).toBe(202);
    expect(harness.producer.records[0]?.value.equals(body)).toBe(true);
    expect(webhookOf(harness.producer.records[0])).toMatchObject({ contentEncoding });
  });

  test.each([200, 204] as const)('is answered %i where its source wants that', async (status) => {
    const harness = createHarness({ source: sourceOf({ settings: { response_status: status } }) });
    const answer = await post(harness, body, signed(body));
    expect(answer.status).toBe(status);
    if (status === 204) expect(answer.text).toBe('');
    else expect(answer.json()).toEqual({ id: expect.stringMatching(receiptId) as string });
  });

  test('has a new receipt each time, duplicate or not', async () => {
    let turn = 0;
    const harness = createHarness({ deps: { random: (size) => Buffer.alloc(size, (turn += 1)) } });
    const ids = [];
    for (let index = 0; index < 3; index += 1) ids.push((await post(harness, body, signed(body))).json().id);
    expect(new Set(ids).size).toBe(3);
  });
});

describe('a GitHub webhook', () => {
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

  test('is identified and typed by its headers', async () => {
    const harness = createHarness({ source: sourceOf({ scheme: 'github' }) });
    const answer = await post(harness, body, {
      'X-Hub-Signature-256': signature,
      'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'X-GitHub-Event': 'push',
    });
    expect(answer.status).toBe(202);
    expect(webhookOf(harness.producer.records[0])).toMatchObject({
      identifyBy: [{ value: '72d3162e-cc78-11e3-81ab-4c9367dc0958' }],
      typeBy: [{ value: 'push' }],
    });
  });

  test('without these headers leaves identifier and type to the fallbacks', async () => {
    const harness = createHarness({ source: sourceOf({ scheme: 'github' }) });
    await post(harness, body, { 'x-hub-signature-256': signature, 'x-github-event': '' });
    expect(webhookOf(harness.producer.records[0])).toMatchObject({ identifyBy: [], typeBy: [] });
  });
});

test('a source’s own rules are tried in their order, headers resolved and pointers kept', async () => {
  const settings = {
    dedup_id: ['/data/id', 'header:X-Absent', 'header:X-Id', '/id'],
    event_type_from: ['header:X-Type'],
    dedup_ttl_seconds: 60,
  };
  const harness = createHarness({ source: sourceOf({ settings }) });
  await post(harness, body, { ...signed(body), 'x-id': 'from "header"', 'x-type': 'ünï' });
  expect(webhookOf(harness.producer.records[0])).toMatchObject({
    identifyBy: [{ pointer: '/data/id' }, { value: 'from "header"' }, { pointer: '/id' }],
    typeBy: [{ value: 'ünï' }],
    dedupTtlSeconds: 60,
  });
});

test('a source’s own signature header and tolerance hold', async () => {
  const settings = { signature_header: 'X-Partner-Signature', timestamp_tolerance_seconds: 10 };
  const harness = createHarness({ source: sourceOf({ settings }) });
  const now = Math.floor(Date.now() / 1000);
  const given = (at: number) => ({ 'x-partner-signature': signed(body, at)['hookline-signature'] ?? '' });
  expect((await post(harness, body, given(now))).status).toBe(202);
  expectProblem(await post(harness, body, given(now - 20)), 'timestamp_out_of_tolerance');
  expectProblem(await post(harness, body, signed(body)), 'signature_missing');
});

describe('a refused webhook', () => {
  const clock = createManualClock();
  const now = clock.nowMs() / 1000;
  const right = signed(body, now)['hookline-signature'] ?? '';
  test.each<[string, Record<string, string | string[]>, ProblemCode]>([
    ['no signature', {}, 'signature_missing'],
    ['an empty signature', { 'hookline-signature': '' }, 'signature_malformed'],
    ['a wrong signature', { 'hookline-signature': `t=${now},v1=${'0'.repeat(64)}` }, 'signature_invalid'],
    ['a signature of another body', signed('other', now), 'signature_invalid'],
    ['a short v1', { 'hookline-signature': `t=${now},v1=00` }, 'signature_invalid'],
    ['a broken t', { 'hookline-signature': `t=,v1=${'0'.repeat(64)}` }, 'signature_malformed'],
    ['the signature twice', { 'hookline-signature': [right, right] }, 'signature_malformed'],
    ['an old timestamp', signed(body, now - 301), 'timestamp_out_of_tolerance'],
    ['a timestamp from the future', signed(body, now + 301), 'timestamp_out_of_tolerance'],
    [
      'a content type of 12,000 characters beyond ASCII',
      { ...signed(body, now), 'content-type': '\xff'.repeat(12_000) },
      'validation_failed',
    ],
    [
      'an encoding of 5,000 characters',
      { ...signed(body, now), 'content-encoding': 'x'.repeat(5_000) },
      'validation_failed',
    ],
    [
      'a length above the limit',
      { ...signed(body, now), 'content-length': String(maxPayloadBytes + 1) },
      'payload_too_large',
    ],
  ])(
    'with %s is answered by its problem, counted and logged once, and never produced',
    async (_what, headers, code) => {
      const harness = createHarness({ deps: { clock } });
      const answer = await post(harness, body, headers);
      expectProblem(answer, code);
      expect(answer.headers['www-authenticate']).toBe(
        answer.status === 401 ? 'Webhook-Signature realm="webhooks", scheme="hookline"' : undefined,
      );
      expect(harness.producer.records).toEqual([]);
      expect(await harness.metric(requestsTotal, { source: harness.source.id, outcome: code })).toBe(1);
      expect(harness.logged).toEqual([
        expect.objectContaining({ level: 'info', event: 'webhook.rejected', code, sourceId: harness.source.id }),
      ]);
    },
  );

  test.each(['src_00000000000000000000000000', 'nonsense', 'x'.repeat(3_000)])(
    'of unknown source is 404',
    async (id) => {
      const harness = createHarness();
      expectProblem(await post(harness, body, signed(body), id), 'not_found');
      expect(await harness.metric(requestsTotal, { source: 'unknown', outcome: 'not_found' })).toBe(1);
      expect(harness.producer.records).toEqual([]);
    },
  );

  test('of a deleted source is 410, whatever its signature', async () => {
    const harness = createHarness({ source: sourceOf({ deleted_at: '2026-01-01T00:00:00.000000Z' }) });
    expectProblem(await post(harness, body, signed(body)), 'gone');
    expect(await harness.metric(requestsTotal, { source: harness.source.id, outcome: 'gone' })).toBe(1);
  });

  test('of a source that can’t be read, or can’t be looked up, is to come again', async () => {
    const unusable = createHarness({ source: { state: 'unusable', id: 'src_x', tenant: 'acme' } });
    const unreachable = createHarness({
      deps: { sources: { known: () => undefined, lookUp: async () => 'unavailable', recent: () => undefined } },
    });
    for (const harness of [unusable, unreachable]) {
      const answer = await post(harness, body, signed(body));
      expectProblem(answer, 'unavailable');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
  });

  test('is judged by its source first, then by its length, then by its signature header', async () => {
    const tooLong = { 'content-length': String(maxPayloadBytes + 1) };
    expectProblem(await post(createHarness(), body, tooLong, 'src_other'), 'not_found');
    expectProblem(await post(createHarness(), body, tooLong), 'payload_too_large');
  });
});

describe('a webhook that can’t be made durable', () => {
  test.each(['kafka_unavailable', 'queue_full', 'stopped'] as const)('because of %s is to come again', async (code) => {
    const harness = createHarness();
    harness.producer.failWith(code);
    const answer = await post(harness, body, signed(body));
    expectProblem(answer, 'unavailable');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(await harness.metric(requestsTotal, { source: harness.source.id, outcome: 'unavailable' })).toBe(1);
    expect(await harness.metric(requestsTotal, { outcome: 'accepted' })).toBe(0);
  });

  test('because the broker refuses the record itself is our fault, and someone is told', async () => {
    const harness = createHarness();
    harness.producer.failWith('data_invalid');
    expectProblem(await post(harness, body, signed(body)), 'internal_error');
    expect(harness.logged).toEqual([expect.objectContaining({ level: 'error', code: 'internal_error' })]);
  });

  test('because of a bug is a 500 with no words about the inside', async () => {
    const fault = (): never => {
      throw new Error('the inside');
    };
    const harness = createHarness({ deps: { sources: { known: fault, lookUp: fault, recent: () => undefined } } });
    const answer = await post(harness, body, signed(body));
    expectProblem(answer, 'internal_error');
    expect(answer.text).not.toContain('the inside');
  });
});

describe('other requests', () => {
  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const)(
    '%s on a webhook’s path is 405 with Allow',
    async (method) => {
      const harness = createHarness();
      const answer = await harness.send({ method, path: `/v1/webhooks/${harness.source.id}?x=1` });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('POST');
      if (method === 'HEAD') expect(answer.text).toBe('');
      else expectProblem(answer, 'method_not_allowed');
    },
  );

  test.each(['/', '/v1/webhooks', '/v1/webhooks/', '/v1/webhooks/a/b', '/v2/webhooks/a', '/v1/webhooks/%zz'])(
    'to %s are 404, whatever their content type',
    async (path) => {
      const harness = createHarness();
      const headers = { 'content-type': ';;;' };
      expectProblem(await harness.send({ path, body: 'x', headers }), 'not_found');
    },
  );
});

test('the crash points stand on both sides of the produce', async () => {
  const reached: [CrashPointName, number, number][] = [];
  const harness: Harness = createHarness({
    deps: {
      crashPoints: {
        reach: (point) =>
          void reached.push([point, harness.producer.records.length, harness.producer.pending().records]),
      },
    },
  });
  await post(harness, body, signed(body));
  expect(reached).toEqual([
    ['ingress.before-produce', 0, 0],
    ['ingress.after-produce', 1, 0],
  ]);
});
