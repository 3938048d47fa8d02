import type { Socket } from 'node:net';
import { maxPayloadBytes } from '#lib/contract';
import { waitUntil } from '../../support/wait-until.ts';
import { closeApps, createHarness, type Harness, requestsTotal, signed } from './harness.ts';
import { connectRaw } from './raw-client.ts';

afterEach(closeApps);
const body = Buffer.from('{"id":"evt_1"}');

function head(harness: Harness, headers: Record<string, string>): string {
  const lines = Object.entries({ host: 'ingress', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /v1/webhooks/${harness.source.id} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

const whole = (harness: Harness): Buffer =>
  Buffer.concat([Buffer.from(head(harness, { ...signed(body), 'content-length': String(body.length) })), body]);

const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const lastChunk = '0\r\n\r\n';

test('a body in chunks is accepted byte for byte, however it is cut', async () => {
  const harness = createHarness();
  const client = await connectRaw(await harness.port());
  client.write(head(harness, { ...signed(body), 'transfer-encoding': 'chunked' }));
  for (const byte of body) client.write(chunk(Buffer.of(byte)));
  client.write(lastChunk);
  await client.until(/ 202 Accepted/);
  expect(harness.producer.records.map((record) => record.value)).toEqual([body]);
});

test('requests sent at once over one connection are all answered, in order', async () => {
  const harness = createHarness();
  const client = await connectRaw(await harness.port());
  client.write(Buffer.concat([whole(harness), whole(harness), whole(harness)]));
  await client.until(/(?: 202 Accepted[^]*){3}/);
  expect(harness.producer.records).toHaveLength(3);
});

describe('a sender that is refused early', () => {
  test('by the length it announced hears so before it sends, and can use the connection again', async () => {
    const harness = createHarness();
    const client = await connectRaw(await harness.port());
    const twoMiB = Buffer.alloc(2 * maxPayloadBytes);
    client.write(head(harness, { ...signed(twoMiB), 'content-length': String(twoMiB.length) }));
    await client.until(/ 413 Payload Too Large[^]*"payload_too_large"/);
    client.write(twoMiB);
    client.write(whole(harness));
    await client.until(/ 202 Accepted/);
    expect(harness.producer.records).toHaveLength(1);
    expect(await harness.metric(requestsTotal, { outcome: 'payload_too_large' })).toBe(1);
  });

  test('by the bytes that came hears so at the first byte too many, and can use the connection again', async () => {
    const harness = createHarness();
    const client = await connectRaw(await harness.port());
    const full = Buffer.alloc(maxPayloadBytes);
    client.write(head(harness, { ...signed(full), 'transfer-encoding': 'chunked' }));
    client.write(chunk(full));
    client.write(chunk(Buffer.of(0)));
    await client.until(/ 413 Payload Too Large[^]*"payload_too_large"/);
    client.write(chunk(full));
    client.write(lastChunk);
    client.write(whole(harness));
    await client.until(/ 202 Accepted/);
    expect(harness.producer.records).toHaveLength(1);
  });

  test('by its signature header can use the connection again', async () => {
    const harness = createHarness();
    const client = await connectRaw(await harness.port());
    client.write(head(harness, { 'content-length': String(body.length) }));
    await client.until(/ 401 Unauthorized[^]*"signature_missing"/);
    client.write(body);
    client.write(whole(harness));
    await client.until(/ 202 Accepted/);
  });

  test('and goes on sending without end is cut off', async () => {
    const harness = createHarness();
    const client = await connectRaw(await harness.port());
    client.write(head(harness, { 'transfer-encoding': 'chunked' }));
    await client.until(/ 401 Unauthorized/);
    const piece = chunk(Buffer.alloc(maxPayloadBytes / 4));
    const sending = setInterval(() => client.write(piece), 1);
    await client.closed;
    clearInterval(sending);
  });

  test('and then says nothing more is cut off', async () => {
    const harness = createHarness({ deps: { bodyTimeoutMs: 50 } });
    const client = await connectRaw(await harness.port());
    client.write(head(harness, { 'content-length': String(body.length) }));
    await client.until(/ 401 Unauthorized/);
    await client.closed;
  });
});

test('a body that does not arrive in its time is a 408, and the connection ends', async () => {
  const harness = createHarness({ deps: { bodyTimeoutMs: 50 } });
  const client = await connectRaw(await harness.port());
  client.write(head(harness, { ...signed(body), 'content-length': String(body.length) }));
  client.write(body.subarray(0, -1));
  expect(await client.until(/ 408 Request Timeout[^]*"request_timeout"/)).toMatch(/connection: close/i);
  await client.closed;
  expect(harness.producer.records).toEqual([]);
  expect(await harness.metric(requestsTotal, { outcome: 'request_timeout' })).toBe(1);
});

test.each<[string, (socket: Socket) => void]>([
  ['goes away', (socket) => socket.destroy()],
  ['says that it has no more', (socket) => socket.end()],
])('of a sender that %s in the middle of its body nothing is produced', async (_what, leave) => {
  const harness = createHarness();
  const client = await connectRaw(await harness.port());
  client.write(head(harness, { ...signed(body), 'content-length': String(body.length) }));
  client.write(body.subarray(0, -1));
  await waitUntil('the request has come', async () => (await connections(harness)) === 1, { everyMs: 5 });
  leave(client.socket);
  const gone = (): Promise<number> => harness.metric(requestsTotal, { outcome: 'client_gone' });
  await waitUntil('it is counted', async () => (await gone()) === 1, { everyMs: 5 });
  expect(harness.producer.records).toEqual([]);
});

const connections = (harness: Harness): Promise<number> =>
  new Promise((resolve) => harness.app.server.getConnections((_error, count) => resolve(count)));

test('a body whose chunks are not well-formed is not produced', async () => {
  const harness = createHarness();
  const client = await connectRaw(await harness.port());
  client.write(head(harness, { ...signed(body), 'transfer-encoding': 'chunked' }));
  client.write(chunk(body));
  client.write('zz\r\n');
  await client.closed;
  expect(harness.producer.records).toEqual([]);
});

describe('a sender that asks whether to go on', () => {
  const expecting = { expect: '100-continue', 'content-length': String(body.length) };

  test('is told so where its body is wanted', async () => {
    const harness = createHarness();
    const client = await connectRaw(await harness.port());
    client.write(head(harness, { ...signed(body), ...expecting }));
    await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    client.write(body);
    await client.until(/ 202 Accepted/);
    expect(harness.producer.records.map((record) => record.value)).toEqual([body]);
  });

  test('is refused instead where it is not, and the connection ends', async () => {
    const harness = createHarness();
    const client = await connectRaw(await harness.port());
    client.write(head(harness, expecting));
    expect(await client.until(/^HTTP\/1\.1 401 Unauthorized/)).toMatch(/connection: close/i);
    await client.closed;
    expect(client.received()).not.toContain('100 Continue');
  });
});

test('bodies that are being read have a common bound; who would break it is to come again, and there is room again later', async () => {
  const harness = createHarness({ deps: { maxReadingBytes: 1_000 } });
  const large = Buffer.alloc(900, 'x');
  const slow = await connectRaw(await harness.port());
  slow.write(head(harness, { ...signed(large), 'content-length': '900' }));
  slow.write(large.subarray(0, 899));
  // The slow one's bytes are counted when another of the same size is refused.
  const sendAnother = async (): Promise<number> => (await harness.send({ headers: signed(large), body: large })).status;
  await waitUntil('another is refused', async () => (await sendAnother()) === 503, { everyMs: 5 });
  slow.write(large.subarray(899));
  await slow.until(/ 202 Accepted/);
  expect(await sendAnother()).toBe(202);
});

describe('what is not HTTP', () => {
  test.each([
    ['nonsense', 'no request at all\r\n\r\n', 'The request is not valid HTTP'],
    ['headers beyond Node’s limit', `POST / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, 'too large'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      'The request is not valid HTTP',
    ],
  ])('is answered by a problem, and the connection ends: %s', async (_what, bytes, words) => {
    const client = await connectRaw(await createHarness().port());
    client.write(bytes);
    await client.closed;
    expect(client.received()).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\n[^]*application\/problem\+json[^]*"validation_failed"/,
    );
    expect(client.received()).toContain(words);
  });
});
