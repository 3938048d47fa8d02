import { connect, createServer, type Server } from 'node:net';
import { parseReceivedWebhook, type ReceivedWebhook, topicDefinitions } from '#lib/contract';
import { createConsumer, createTopics, type RecordConsumer } from '#lib/kafka';
import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger, systemClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { connectKafkaOffsets, type KafkaOffsets } from '../../support/kafka-offsets.ts';
import { fastestOfThreeMs } from '../../support/fastest.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { signAsGithub, signAsHookline } from '../../support/sign-webhook.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Ingress, insertSource, startIngress, type TestSource } from './ingress-process.ts';
import { noneUndecodable } from '../../support/none-undecodable.ts';

const { kafkaBrokers } = serverAddresses();
const topicPrefix = uniquePrefix('ingress');
const topic = `${topicPrefix}webhooks.received`;
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

let databaseUrl: string;
let postgres: Postgres;
let source: TestSource;
let ingress: Ingress;
let offsets: KafkaOffsets;
let reader: RecordConsumer;
const onTopic: ReceivedWebhook[] = [];
/** By receipt: the record’s own key, and where it stands. */
const keyAndPartition = new Map<string, string>();

beforeAll(async () => {
  databaseUrl = await createDatabase();
  postgres = createPostgres({
    url: databaseUrl,
    applicationName: 'hookline-test',
    maxConnections: 1,
    statementTimeoutMs: 10_000,
    log: silentLogger,
  });
  await postgres.start();
  const common = { clock: systemClock, log: silentLogger };
  const topics = topicDefinitions({ topicPrefix, partitions: 3, replicationFactor: 1 });
  await createTopics(
    { brokers: kafkaBrokers },
    topics.filter(({ name }) => name === topic),
    common,
  );
  source = await insertSource(postgres);
  ingress = await startIngress({ brokers: kafkaBrokers, topicPrefix, databaseUrl });
  offsets = await connectKafkaOffsets(kafkaBrokers);
  reader = createConsumer({
    ...common,
    brokers: kafkaBrokers,
    clientId: 'test',
    groupId: `${topicPrefix}test`,
    topics: [topic],
    metrics: new Metrics(),
    onUndecodable: noneUndecodable,
    handle: async (records) => {
      for (const record of records) {
        const webhook = parseReceivedWebhook(record.headers, record.value);
        if ('malformed' in webhook) throw new Error(webhook.malformed);
        onTopic.push(webhook);
        keyAndPartition.set(webhook.receiptId, `${record.key?.toString()} on ${record.partition}`);
        record.done();
      }
    },
    onFailure: (error) => {
      throw error;
    },
  });
  await reader.start();
});

afterAll(async () => {
  await ingress?.stop();
  await reader?.stop();
  await offsets?.deleteTopics([topic]);
  await offsets?.close();
  await postgres?.stop();
});

const recordsOnTopic = async (): Promise<number> =>
  Object.values(await offsets.ends([topic])).reduce((sum, end) => sum + end, 0);

const received = (receiptId: string): Promise<ReceivedWebhook> =>
  waitUntil(`${receiptId} is on the topic`, () => onTopic.find((webhook) => webhook.receiptId === receiptId));

const receiptOf = (body: Buffer): string => (JSON.parse(body.toString()) as { id: string }).id;

test('a signed body that is not JSON is accepted, and stands on the topic byte for byte', async () => {
  const body = Buffer.concat([Buffer.from('} I am not valid JSON; 123]['), Buffer.from([0xff, 0xfe, 0x00, 0x0a])]);
  const before = Date.now();
  const answer = await ingress.post(source.id, body, {
    ...signAsHookline(source.secret, body, nowSeconds()),
    'content-type': 'application/json',
  });
  expect(answer.status).toBe(202);
  const webhook = await received(receiptOf(answer.body));
  expect(webhook).toMatchObject({
    tenant: 'acme',
    sourceId: source.id,
    contentType: 'application/json',
    dedupTtlSeconds: 259_200,
    body,
  });
  expect(webhook.receivedAt).toBeGreaterThanOrEqual(before * 1000);
  expect(webhook.receivedAt).toBeLessThanOrEqual(Date.now() * 1000);
  expect(await ingress.count(source.id, 'accepted')).toBe(1);
});

test('of many at once all are taken in the end, and every 202 is on the topic with the body that it was given for', async () => {
  const bodies = Array.from({ length: 500 }, (_, index) =>
    Buffer.from(JSON.stringify({ id: index, pad: 'x'.repeat(index) })),
  );
  // A busy machine tells some of them to retry, and they do.
  let waiting = bodies;
  while (waiting.length > 0) {
    const answers = await Promise.all(
      waiting.map(async (body) => {
        const answer = await ingress.post(source.id, body, signAsHookline(source.secret, body, nowSeconds()));
        return { ...answer, sent: body };
      }),
    );
    expect(answers.filter(({ status }) => status !== 202 && status !== 503)).toEqual([]);
    for (const { status, sent, ...answer } of answers)
      if (status === 202) expect((await received(receiptOf(answer.body))).body.equals(sent)).toBe(true);
    waiting = answers.filter(({ status }) => status === 503).map(({ sent }) => sent);
    if (waiting.length > 0) await systemClock.sleep(1_000);
  }
});

test('a webhook of a source made a moment ago is accepted, as GitHub signs it, at the limit of its size', async () => {
  const made = await insertSource(postgres, { scheme: 'github', settings: { response_status: 200 } });
  const body = Buffer.alloc(1024 * 1024, 'é');
  const answer = await ingress.post(made.id, body, {
    ...signAsGithub(made.secret, body),
    'x-github-delivery': 'd-1',
    'x-github-event': 'push',
  });
  expect(answer.status).toBe(200);
  const webhook = await received(receiptOf(answer.body));
  expect(webhook.body.equals(body)).toBe(true);
  expect(webhook).toMatchObject({ identifyBy: [{ value: 'd-1' }], typeBy: [{ value: 'push' }] });
});

test('webhooks of one payment intent stand on one partition of the topic, in the order in which one connection sent them', async () => {
  const made = await insertSource(postgres, {
    settings: { ordering_key: ['/data/object/id'], dedup_id: ['/data/object/id'] },
  });
  const bodies = Array.from({ length: 40 }, (_, index) =>
    Buffer.from(JSON.stringify({ id: `evt_${index}`, data: { object: { id: `pi_${index % 2}` } } })),
  );
  // Pipelined: each is on its way before the one before has been answered.
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(ingress.url).port) });
  let answers = '';
  socket.on('data', (chunk) => (answers += chunk.toString()));
  for (const body of bodies) {
    const [[name, value] = []] = Object.entries(signAsHookline(made.secret, body, nowSeconds()));
    const head = `POST /v1/webhooks/${made.id} HTTP/1.1\r\nhost: a\r\n${name}: ${value}\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.write(Buffer.concat([Buffer.from(head), body]));
  }
  await waitUntil('all are answered', () => answers.match(/ 202 Accepted/g)?.length === bodies.length);
  socket.destroy();
  const ofSource = (key: string) =>
    onTopic.filter(({ sourceId, orderingKey }) => sourceId === made.id && orderingKey === key);
  await waitUntil('all are on the topic', () => ofSource('pi_0').length + ofSource('pi_1').length >= 40);
  for (const [offset, key] of ['pi_0', 'pi_1'].entries())
    expect(ofSource(key).map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id)).toEqual(
      Array.from({ length: 20 }, (_, index) => `evt_${2 * index + offset}`),
    );
  expect(ofSource('pi_0')[0]?.identifyBy).toEqual([{ pointer: '/data/object/id' }]);
  const places = new Set(ofSource('pi_0').map(({ receiptId }) => keyAndPartition.get(receiptId)));
  expect([...places]).toEqual([expect.stringMatching(/^pi_0 on \d$/)]);
});

test('a source that is deleted is gone within five seconds', async () => {
  const made = await insertSource(postgres);
  const body = Buffer.from('{}');
  const post = async (): Promise<number> =>
    (await ingress.post(made.id, body, signAsHookline(made.secret, body, nowSeconds()))).status;
  expect(await post()).toBe(202);
  await postgres.query(
    'UPDATE sources SET deleted_at = clock_timestamp(), changed_at = clock_timestamp() WHERE id = $1',
    [made.id],
  );
  await waitUntil('it is answered 410', async () => (await post()) === 410, { timeoutMs: 5_000, everyMs: 100 });
});

describe('bad input', () => {
  const body = Buffer.from('{"id":"evt_bad"}');
  const twoMiB = Buffer.alloc(2 * 1024 * 1024, 'x');
  const signed = (bytes: Buffer, at = nowSeconds()) => signAsHookline(source.secret, bytes, at);

  test.each([
    [
      'a wrong signature',
      401,
      'signature_invalid',
      () => ({ body, headers: signAsHookline('other', body, nowSeconds()) }),
    ],
    ['no signature', 401, 'signature_missing', () => ({ body, headers: {} })],
    [
      'an old timestamp',
      401,
      'timestamp_out_of_tolerance',
      () => ({ body, headers: signed(body, nowSeconds() - 310) }),
    ],
    [
      'a broken t=',
      400,
      'signature_malformed',
      () => ({ body, headers: { 'hookline-signature': `t=,v1=${'0'.repeat(64)}` } }),
    ],
    ['2 MiB, announced', 413, 'payload_too_large', () => ({ body: twoMiB, headers: signed(twoMiB) })],
    [
      '2 MiB, in chunks',
      413,
      'payload_too_large',
      () => ({ body: twoMiB, headers: { ...signed(twoMiB), 'transfer-encoding': 'chunked' } }),
    ],
  ])('%s is answered %i %s, counted, and nothing of it is on the topic', async (_what, status, code, request) => {
    const [recordsBefore, countBefore] = [await recordsOnTopic(), await ingress.count(source.id, code)];
    const given = request();
    const answer = await ingress.post(source.id, given.body, given.headers);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(answer.body.toString())).toMatchObject({ status, code });
    expect(await ingress.count(source.id, code)).toBe(countBefore + 1);
    expect(await recordsOnTopic()).toBe(recordsBefore);
  });

  test('an unknown source is answered 404, counted, and nothing of it is on the topic', async () => {
    const before = await recordsOnTopic();
    const answer = await ingress.post('src_00000000000000000000000000', body, signed(body));
    expect(answer.status).toBe(404);
    expect(await ingress.count('unknown', 'not_found')).toBe(1);
    expect(await recordsOnTopic()).toBe(before);
  });
});

describe('with Kafka away', () => {
  const servers: Server[] = [];
  afterAll(() => servers.forEach((server) => server.close()));

  const refusing = async (): Promise<number> => (await freePorts(1))[0] ?? 0;
  const silent = async (): Promise<number> => {
    const server = createServer((socket) => socket.on('error', () => undefined).unref()).unref();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };

  test.each([
    ['refuses connections', refusing],
    ['takes connections and is silent', silent],
  ])('where it %s, a webhook is answered 503 with Retry-After within two seconds', async (_how, findPort) => {
    const brokers = [`127.0.0.1:${await findPort()}`];
    // Each time one that was just started: it has not learnt yet how Kafka is.
    const answersWithinMs = async (): Promise<number> => {
      const alone = await startIngress({ brokers, topicPrefix, databaseUrl });
      try {
        const body = Buffer.from('{}');
        const beganAtMs = performance.now();
        const posts = Array.from({ length: 10 }, () =>
          alone.post(source.id, body, signAsHookline(source.secret, body, nowSeconds())),
        );
        const answers = await Promise.all(posts);
        const tookMs = performance.now() - beganAtMs;
        for (const answer of answers) {
          expect(answer.status).toBe(503);
          expect(JSON.parse(answer.body.toString())).toMatchObject({ code: 'unavailable' });
          expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
        }
        expect(await alone.count(source.id, 'unavailable')).toBe(10);
        return tookMs;
      } finally {
        await alone.stop();
      }
    };
    expect(await fastestOfThreeMs(answersWithinMs)).toBeLessThan(2_000);
  });
});
