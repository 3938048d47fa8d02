import { maxPayloadBytes } from '#lib/contract';
import { waitUntil } from '../../support/wait-until.ts';
import { closeApps, createHarness, type Harness, requestsTotal, signed, sourceOf } from './harness.ts';
import { connectRaw, type RawClient } from './raw-client.ts';

afterEach(closeApps);

const body = Buffer.from('{"id":"evt_1"}');

function head(harness: Harness, headers: Record<string, string>): string {
  const lines = Object.entries({ host: 'ingress', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /v1/webhooks/${harness.source.id} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** A chunked body that is signed and never ends, the same bytes again and again. */
async function sendWithoutEnd(harness: Harness, bytes: string | Buffer, everyMs: number): Promise<RawClient> {
  const client = await connectRaw(await harness.port());
  client.write(head(harness, { ...signed(body), 'transfer-encoding': 'chunked' }));
  const sending = setInterval(() => client.write(bytes), everyMs);
  void client.closed.then(() => clearInterval(sending));
  return client;
}

const inSingleBytes = (bytes: Buffer): string =>
  [...bytes.toString('latin1')].map((byte) => `1\r\n${byte}\r\n`).join('');

describe('a body that never ends', () => {
  test.each<[string, string]>([
    ['bytes that drip in', '1\r\nx\r\n'],
    ['a chunk’s extension that grows', '1;a\r\nx\r\n'],
  ])('by %s is a 408 when its time is up, and its connection ends', async (_what, bytes) => {
    const harness = createHarness({ deps: { bodyTimeoutMs: 200 } });
    const client = await sendWithoutEnd(harness, bytes, 10);
    await client.until(/^HTTP\/1\.1 408 Request Timeout[^]*"request_timeout"/);
    await client.closed;
    expect(harness.producer.records).toEqual([]);
    expect(harness.rejections).toMatchObject([{ code: 'request_timeout' }]);
    expect(harness.rejections[0]?.bodyBytes).toBeGreaterThan(0);
  });

  test('by trailers behind its last chunk is a 408 too', async () => {
    const harness = createHarness({ deps: { bodyTimeoutMs: 200 } });
    const client = await connectRaw(await harness.port());
    client.write(head(harness, { ...signed(body), 'transfer-encoding': 'chunked' }));
    client.write(`${body.length.toString(16)}\r\n${body.toString()}\r\n0\r\n`);
    const sending = setInterval(() => client.write('x-more: y\r\n'), 10);
    await client.closed;
    clearInterval(sending);
    expect(client.received()).toMatch(/^HTTP\/1\.1 4(?:08|00) /);
    expect(harness.producer.records).toEqual([]);
  });

  test('by large chunks is a 413 at the first byte too many, and then cut off', async () => {
    const harness = createHarness();
    const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'x'), Buffer.from('\r\n')]);
    const client = await sendWithoutEnd(harness, piece, 1);
    await client.until(/^HTTP\/1\.1 413 /);
    await client.closed;
    expect(harness.rejections).toMatchObject([{ code: 'payload_too_large' }]);
    expect(harness.rejections[0]?.bodyBytes).toBeLessThanOrEqual(maxPayloadBytes + 65_536);
  });

  test('by single bytes is a 413 long before a megabyte of them, and then cut off', async () => {
    const harness = createHarness();
    const client = await sendWithoutEnd(harness, '1\r\nx\r\n'.repeat(4_096), 1);
    await client.until(/^HTTP\/1\.1 413 /);
    await client.closed;
    expect(harness.rejections[0]?.bodyBytes).toBeLessThanOrEqual(maxPayloadBytes / 32 + 1);
    expect(harness.producer.records).toEqual([]);
  });
});

test('a body of 32 KiB in single bytes is accepted', async () => {
  const harness = createHarness();
  const bytes = Buffer.alloc(maxPayloadBytes / 32, 'abc');
  const client = await connectRaw(await harness.port());
  client.write(head(harness, { ...signed(bytes), 'transfer-encoding': 'chunked' }));
  client.write(`${inSingleBytes(bytes)}0\r\n\r\n`);
  await client.until(/ 202 Accepted/);
  expect(harness.producer.records[0]?.value.equals(bytes)).toBe(true);
});

test('slow bodies give back what they held when their time is up', async () => {
  const large = Buffer.alloc(900, 'x');
  const harness = createHarness({ deps: { maxReadingBytes: 1_000, bodyTimeoutMs: 500 } });
  const client = await connectRaw(await harness.port());
  client.write(head(harness, { ...signed(large), 'content-length': '900' }));
  client.write(large.subarray(0, 899));
  const sendAnother = async (): Promise<number> => (await harness.send({ headers: signed(large), body: large })).status;
  await waitUntil('another is refused', async () => (await sendAnother()) === 503, { everyMs: 5 });
  await client.until(/ 408 Request Timeout/);
  expect(await sendAnother()).toBe(202);
});

describe('of a refused sender no body is held', () => {
  test.each(['', 'expect: 100-continue\r\n'])('where it is sent all the same: %j', async (expecting) => {
    // The second byte of a body that was being read would be one too many.
    const harness = createHarness({ deps: { maxReadingBytes: 1 } });
    const client = await connectRaw(await harness.port());
    const start = `POST /v1/webhooks/${harness.source.id} HTTP/1.1\r\nhost: a\r\n${expecting}`;
    client.write(`${start}content-length: ${maxPayloadBytes}\r\n\r\n`);
    client.write(Buffer.alloc(maxPayloadBytes));
    await client.until(/ 401 Unauthorized[^]*"signature_missing"/);
    expect(await harness.metric(requestsTotal, { outcome: 'unavailable' })).toBe(0);
  });
});

describe('what the owner of a source sees of a refused body', () => {
  const wrong = { 'hookline-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` };
  const sendWrong = async (harness: Harness, bytes: Buffer): Promise<void> =>
    expect((await harness.send({ headers: wrong, body: bytes })).status).toBe(401);

  test('is its size alone', async () => {
    const harness = createHarness();
    await sendWrong(harness, body);
    expect(harness.rejections).toMatchObject([
      { tenant: 'acme', code: 'signature_invalid', bodyBytes: body.length, clientAddress: '127.0.0.1' },
    ]);
    expect(harness.rejections[0]?.bodyBeginning).toBeUndefined();
  });

  test('is its beginning where the source keeps that', async () => {
    const harness = createHarness({ source: sourceOf({ settings: { keep_rejected_bodies: true } }) });
    const large = Buffer.alloc(100_000, 'abcde');
    await sendWrong(harness, large);
    expect(harness.rejections).toMatchObject([{ bodyBytes: large.length }]);
    const { bodyBeginning = Buffer.alloc(0) } = harness.rejections[0] ?? {};
    expect(bodyBeginning.equals(large.subarray(0, 16_384))).toBe(true);
    // The kept part must not hang on to the whole.
    expect(bodyBeginning.buffer.byteLength).toBeLessThan(large.length);
  });

  test('is what had come by the end of its time', async () => {
    const source = sourceOf({ settings: { keep_rejected_bodies: true } });
    const harness = createHarness({ source, deps: { bodyTimeoutMs: 100 } });
    const client = await connectRaw(await harness.port());
    client.write(head(harness, { ...signed(body), 'content-length': String(body.length) }));
    client.write(body.subarray(0, 5));
    await client.until(/ 408 /);
    expect(harness.rejections).toMatchObject([{ bodyBytes: 5, bodyBeginning: body.subarray(0, 5) }]);
  });

  test('is what it was announced as where it was not read', async () => {
    const harness = createHarness();
    await harness.send({ body });
    await harness.send({ headers: { 'content-length': '9000000' }, body });
    expect(harness.rejections).toMatchObject([
      { code: 'signature_missing', bodyBytes: body.length },
      { code: 'payload_too_large', bodyBytes: 9_000_000 },
    ]);
  });

  test('is nothing of webhooks that were accepted, or are to come again', async () => {
    const harness = createHarness();
    expect((await harness.send({ headers: signed(body), body })).status).toBe(202);
    harness.producer.failWith('kafka_unavailable');
    expect((await harness.send({ headers: signed(body), body })).status).toBe(503);
    expect(harness.rejections).toEqual([]);
  });
});
