/** A webhook with headers of every kind, from the socket of the ingress to the socket of a receiver, and what is kept of its request. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type EndpointSettings, type EventRequest, isSensitiveHeader } from '#lib/contract';
import { type IncomingRecord, readTopic } from '#lib/kafka';
import { createDeliveryReplay } from '#lib/replay-store';
import { createId, formatMicros, silentLogger, systemClock } from '#lib/runtime';
import { serverAddresses } from '../../support/servers.ts';
import { signAsGithub } from '../../support/sign-webhook.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { columnsWith } from '../erasure/find-marker.ts';
import {
  encryptionKey,
  type Ingress,
  insertSource,
  startIngress,
  type TestSource,
} from '../ingress/ingress-process.ts';
import { createWorld, type World } from './world.ts';
import { noneUndecodable } from '../../support/none-undecodable.ts';

type Pairs = (readonly [name: string, value: string])[];

interface Arrival {
  path: string;
  attempt: number;
  pairs: Pairs;
}

const body = Buffer.from('{"customer":{"id":"cus_7"},"order":"o-1"}');
const soon = { base_seconds: 0.05, cap_seconds: 0.2 };

/** Headers that an endpoint with `passes` is to get, as they arrive. */
const provided: Pairs = [
  ['X-GitHub-Event', 'push'],
  ['X-GITHUB-Odd', 'caf\xe9 "quoted" \\ , tab\tinside'],
  ['X-GitHub-Empty', ''],
  ['X-Trail', 'first'],
  ['x-trail', 'second, with a comma'],
  ['X-Request-Id', '7f'],
];
const passes = ['x-github-*', 'X-Trail', 'x-request-id', 'X-Team'];
const secrets: Pairs = [
  ['Authorization', 'Bearer s3cret-a'],
  ['Cookie', 'session=s3cret-b'],
  ['X-GitHub-Token', 's3cret-c'],
  ['X-Api-Key', 's3cret-d'],
];
const others: Pairs = [
  ['X-GitHub-Hop', 'of the connection'],
  ['Webhook-Id', 'theirs'],
  ['Hookline-Attempt', '99'],
  ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  ['User-Agent', 'GitHub-Hookshot/1'],
  ['Via', '1.1 proxy'],
  ['X-Team', 'theirs'],
];

let world: World;
let ingress: Ingress;
let source: TestSource;
let receiver: Awaited<ReturnType<typeof openReceiver>>;

beforeEach(async () => {
  world = await createWorld('passed-headers', { encryptionKey });
  receiver = await openReceiver();
  source = await insertSource(world.postgres, {
    scheme: 'github',
    settings: { tags_from: { customer: '/customer/id', event: 'header:X-GitHub-Event', none: '/none' } },
  });
  const { databaseUrl, topicPrefix } = world;
  ingress = await startIngress({ brokers: serverAddresses().kafkaBrokers, topicPrefix, databaseUrl });
  await world.startProjector();
});
afterEach(async () => {
  await ingress?.stop();
  await world?.stop();
  await receiver?.close();
  expect(world?.failures).toEqual([]);
});

const addEndpoint = (name: string, settings: EndpointSettings = {}) =>
  world.addEndpoint(name, { retry: soon, ...settings }, { url: receiver.url(name) });

test('a narrow event: an endpoint gets the headers that it asks for, byte for byte, and on each attempt and replay the same', async () => {
  const asking = await addEndpoint('asking', { pass_headers: passes, headers: { 'x-team': 'ours' } });
  await addEndpoint('plain');
  receiver.refuseFirst = 2;
  await world.startDedup();
  await world.startDispatcher();
  await send();
  await world.ended(2);
  const [event] = await world.postgres.query<{ id: string }>('SELECT id FROM events');
  await replay(event?.id ?? '', asking.id);
  await world.ended(3);

  const arrived = receiver.arrivals.filter(({ path }) => path === '/asking');
  expect(arrived.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 1]);
  for (const { pairs } of arrived) expectOnlyProvided(pairs);
  for (const { pairs } of arrived) expect(valuesOf(pairs, 'x-team')).toEqual(['ours']);
  for (const { pairs } of receiver.arrivals.filter(({ path }) => path === '/plain'))
    expect(pairs.filter(([name]) => /^x-/i.test(name))).toEqual([]);

  const [attempt] = await world.postgres.query<{ headers: Record<string, string> }>(
    `SELECT request->'headers' AS headers FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.endpoint_id = $1`,
    [asking.id],
  );
  expect(attempt?.headers).toMatchObject({ 'X-GitHub-Event': 'push', 'X-Trail': 'first, second, with a comma' });
});

test('credentials go to the endpoint that names each of them, on each attempt and replay, and are plain nowhere else', async () => {
  const named = await addEndpoint('named', { pass_headers: ['authorization', 'X-API-KEY', 'X-Hub-Signature-256'] });
  await addEndpoint('beginning', { pass_headers: ['X-*', 'Auth*'] });
  const knownMs = Date.now() + 2_500;
  receiver.refuseFirst = 2;
  await waitUntil('the ingress has asked for the names', () => Date.now() > knownMs, { timeoutMs: 10_000 });
  await world.startDedup();
  await world.startDispatcher();
  await send();
  await world.ended(2);
  const [event] = await world.postgres.query<{ id: string }>('SELECT id FROM events');
  await replay(event?.id ?? '', named.id);
  await world.ended(3);

  const arrived = receiver.arrivals.filter(({ path }) => path === '/named');
  expect(arrived.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 1]);
  for (const { pairs } of arrived) {
    expect(valuesOf(pairs, 'authorization')).toEqual(['Bearer s3cret-a']);
    expect(valuesOf(pairs, 'x-api-key')).toEqual(['s3cret-d']);
    // The headers that the source's scheme reads are nobody else's, named or not.
    expect(valuesOf(pairs, 'x-hub-signature-256')).toEqual([]);
    expect(valuesOf(pairs, 'x-github-event')).toEqual([]);
  }
  const others = receiver.arrivals.filter(({ path }) => path === '/beginning');
  expect(JSON.stringify(others.map(({ pairs }) => pairs))).not.toMatch(/s3cret|sha256=/);

  for (const secret of ['s3cret-a', 's3cret-d']) {
    expect(await columnsWith(world.postgres, secret)).toEqual([]);
  }
  expect(await topicsWith(['s3cret-a', 's3cret-d'])).toEqual([]);
  // They are kept, sealed, beside the payload, for as long as that.
  const [kept] = await world.postgres.query<{ request: EventRequest }>('SELECT request FROM event_payloads');
  expect(Object.keys(kept?.request.sealed ?? {}).sort()).toEqual(['authorization', 'x-api-key']);
  const [attempt] = await world.postgres.query<{ headers: Record<string, string> }>(
    `SELECT request->'headers' AS headers FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.endpoint_id = $1`,
    [named.id],
  );
  expect(attempt?.headers).toMatchObject({ Authorization: '***', 'X-Api-Key': '***' });
});

test('the database takes the same headers for secrets as the code', async () => {
  const words = [
    'auth',
    'bearer',
    'cookie',
    'credential',
    'jwt',
    'key',
    'pass',
    'secret',
    'session',
    'signature',
    'token',
  ];
  const names = words.flatMap((word) => [
    word.toUpperCase(),
    `X-${word}`,
    `x-${word.slice(1)}`,
    `${word}-Id`,
    `X-${word}*`,
  ]);
  const [row] = await world.postgres.query<{ found: string[] | null; none: string[] | null; odd: string[] | null }>(
    `SELECT passed_credentials($1) AS found, passed_credentials('{}') AS none, passed_credentials('{"pass_headers":1}') AS odd`,
    [JSON.stringify({ pass_headers: [...names, ...names] })],
  );
  const wanted = names
    .filter((name) => isSensitiveHeader(name) && !name.endsWith('*'))
    .map((name) => name.toLowerCase());
  expect(row).toEqual({ found: [...new Set(wanted)].sort(), none: null, odd: null });
});

test('a wide event, in the order of its key: its endpoint gets them from its record and from its row', async () => {
  await addEndpoint('ordered', { pass_headers: passes, ordered: true });
  source = await insertSource(world.postgres, { scheme: 'github', settings: { ordering_key: ['/customer/id'] } });
  receiver.refuseFirst = 2;
  await world.startDedup();
  await world.startDispatcher();
  await send('1');
  await send('2');
  await world.ended(2);
  expect(receiver.arrivals.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 1]);
  for (const { pairs } of receiver.arrivals) expectOnlyProvided(pairs);
});

test('a change of the rules counts from the next attempt on', async () => {
  const { id } = await addEndpoint('changed', {
    pass_headers: passes,
    retry: { schedule: [8, ...Array<number>(5).fill(0.1)], jitter: 0 },
  });
  receiver.refuseFirst = 1;
  await world.startDedup();
  await world.startDispatcher();
  await send();
  await waitUntil('the first attempt', async () => receiver.arrivals.length === 1);
  await world.postgres.query(
    `UPDATE endpoints SET settings = jsonb_set(settings, '{pass_headers}', '["X-Request-Id"]') WHERE id = $1`,
    [id],
  );
  await world.ended(1);
  const [first, second] = receiver.arrivals;
  expectOnlyProvided(first?.pairs ?? []);
  expect(second?.pairs.filter(([name]) => /^x-/i.test(name))).toEqual([['X-Request-Id', '7f']]);
});

test('the request is kept beside the payload with its headers in order, without secrets; tags are beside the event', async () => {
  await world.startDedup();
  await world.startDispatcher();
  await send();
  const read = () => world.postgres.query<{ request: EventRequest | null }>('SELECT request FROM event_payloads');
  await waitUntil('its event', async () => (await read()).length === 1);
  const request = (await read())[0]?.request;
  expect(request).toMatchObject({
    method: 'POST',
    path: `/v1/webhooks/${source.id}?hub.verify_token=***&a=1`,
    client_address: '127.0.0.1',
    truncated: false,
  });
  const hidden = [...secrets.map(([name]) => name), 'X-Hub-Signature-256'];
  expect(request?.headers.map(({ name, value }) => [name, value])).toEqual(
    sentHeaders('1').map(([name, value]) => [name, hidden.includes(name) ? null : value]),
  );
  expect(JSON.stringify(request)).not.toContain('s3cret');

  await waitUntil('its row', async () => (await world.postgres.query('SELECT FROM events')).length === 1);
  const [event] = await world.postgres.query<{ id: string; tags: unknown }>('SELECT id, tags FROM events');
  expect(event?.tags).toEqual({ customer: 'cus_7', event: 'push' });
  expect(await world.postgres.query('SELECT tenant, tag, event_id FROM event_tags ORDER BY tag')).toEqual([
    { tenant: 'acme', tag: 'customer:cus_7', event_id: event?.id },
    { tenant: 'acme', tag: 'event:push', event_id: event?.id },
  ]);
});

const ofTheRequest = (id: string): Pairs => [
  ['Host', 'localhost'],
  ['Content-Length', String(body.length)],
  ['Content-Type', 'application/json'],
  ['Connection', 'close, X-GitHub-Hop'],
  ['X-GitHub-Delivery', `d-${id}`],
];
const sentHeaders = (id: string): Pairs => [
  ...ofTheRequest(id),
  ['X-Hub-Signature-256', signAsGithub(source.secret, body)['x-hub-signature-256'] ?? ''],
  ...secrets,
  ...provided,
  ...others,
];

/** A webhook as bytes: no client in between changes its headers. */
async function send(id = '1'): Promise<void> {
  const head = [
    `POST /v1/webhooks/${source.id}?hub.verify_token=s3cret-e&a=1 HTTP/1.1`,
    ...sentHeaders(id).map(([name, value]) => `${name}: ${value}`),
  ].join('\r\n');
  const answer = await new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(ingress.url);
    const socket = connect(Number(port), hostname, () => {
      socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]));
    });
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1.1 202 /);
}

/** Topics with a record that has one of these texts in its key, a header or its value. */
async function topicsWith(texts: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const isIn = ({ key, value, headers }: IncomingRecord): boolean =>
    [key ?? Buffer.alloc(0), value, Buffer.from(JSON.stringify(headers))].some((bytes) =>
      texts.some((text) => bytes.includes(text)),
    );
  await Promise.all(
    Object.values(world.topics).map((topic) =>
      readTopic({
        topic,
        groupId: `${topic}-searched-${randomUUID()}`,
        sinceMs: undefined,
        brokers: serverAddresses().kafkaBrokers,
        clientId: 'test',
        clock: systemClock,
        log: silentLogger,
        handle: async (records) => void (records.some(isIn) && found.add(topic)),
        onUndecodable: noneUndecodable,
      }),
    ),
  );
  return [...found];
}

const replay = (eventId: string, endpointId: string) =>
  world.postgres.transaction((tx) =>
    createDeliveryReplay(tx, {
      tenant: 'acme',
      id: createId('rpl', Date.now()),
      request: {},
      ratePerSecond: null,
      createdAt: formatMicros(Date.now() * 1_000),
      eventId,
      endpointIds: [endpointId],
    }),
  );

/** That all that was to be passed is there, each value once and as it was; and nothing else of the provider. */
function expectOnlyProvided(pairs: Pairs): void {
  const wanted: Pairs = [...provided, ['X-GitHub-Delivery', 'd-']];
  for (const name of new Set(wanted.map(([each]) => each.toLowerCase()))) {
    if (name === 'x-github-delivery') expect(valuesOf(pairs, name)).toEqual([expect.stringMatching(/^d-[12]$/)]);
    else expect(valuesOf(pairs, name)).toEqual(valuesOf(provided, name));
  }
  const names = wanted.map(([name]) => name.toLowerCase());
  const more = pairs.filter(([name]) => !names.includes(name.toLowerCase()));
  expect(JSON.stringify(more)).not.toMatch(/s3cret|sha256=|of the connection|Hookshot|1\.1 proxy|"99"/);
  expect(valuesOf(pairs, 'webhook-id')).toEqual([expect.stringMatching(/^evt_/)]);
  expect(valuesOf(pairs, 'user-agent')).toEqual(['Hookline']);
  expect(more.map(([name]) => name.toLowerCase()).filter((name) => /^x-/.test(name) && name !== 'x-team')).toEqual([]);
  // The spelling of a name, as far as a receiver can see it.
  expect(pairs.map(([name]) => name)).toEqual(expect.arrayContaining(['X-GitHub-Event', 'X-GITHUB-Odd', 'X-Trail']));
}

const valuesOf = (pairs: Pairs, name: string): string[] =>
  pairs.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);

async function openReceiver() {
  const arrivals: Arrival[] = [];
  const control = { arrivals, refuseFirst: 0, url: (name: string) => `http://127.0.0.1:${port}/${name}`, close };
  const take = async (request: IncomingMessage): Promise<number> => {
    await once(request.resume(), 'end');
    const pairs = request.rawHeaders.flatMap((name, index): Pairs =>
      index % 2 === 0 ? [[name, request.rawHeaders[index + 1] ?? '']] : [],
    );
    const attempt = Number(request.headers['hookline-attempt']);
    const path = request.url ?? '';
    arrivals.push({ path, attempt, pairs });
    const isRefused = arrivals.filter((one) => one.path === path).length <= control.refuseFirst;
    return isRefused && path !== '/plain' ? 500 : 200;
  };
  const server = createServer((request, response) => {
    void take(request).then((status) => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  function close(): Promise<unknown> {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  }
  return control;
}
