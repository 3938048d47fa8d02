import {
  type Attempted,
  attemptToAvro,
  type AvroAttempt,
  type EventRecord,
  type EventRequest,
  type FannedOut,
  readSchema,
  trailMark,
} from '#lib/contract';
import {
  type AvroSchema,
  createAttemptCodec,
  createAvroCodec,
  createEventCodec,
  registerSchemas,
  valueSubject,
} from '#lib/kafka';
import { silentLogger, systemClock } from '#lib/runtime';
import { startTcpProxy, type TcpProxy } from '../../faults/network/tcp-proxy.ts';
import { serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { noSend } from '../../support/no-send.ts';

const prefix = uniquePrefix('registry');
const common = { clock: systemClock, log: silentLogger };
const registryUrl = (): string => serverAddresses().schemaRegistryUrl;

const event: EventRecord = {
  id: 'evt_1',
  tenant: 'default',
  source_id: 'src_1',
  event_id: null,
  type: 'push',
  receipt_id: 'rcp_1',
  origin: 'hookline.webhooks.received-0-17',
  received_at: 1_763_712_000_123_456,
  dedup_key: Buffer.from([0, 1, 254, 255]),
  content_type: 'application/octet-stream',
  content_encoding: null,
  http_headers: { 'x-github-event': 'push' },
  request: {
    method: 'POST',
    path: '/v1/webhooks/src_1',
    client_address: '192.0.2.7',
    truncated: false,
    sealed: { 'x-api-key': ['AA=='] },
    trail: [trailMark('src_2')],
    headers: [
      { name: 'X-GitHub-Event', value: 'push' },
      { name: 'Cookie', value: null },
    ],
  },
  tags: { customer: 'é' },
  ordering_key: 'né',
  payload: Buffer.from([0, 255, 10, 13]),
};

const attempt: Attempted = {
  ...noSend,
  kind: 'attempted',
  tenant: 'default',
  event_id: 'evt_1',
  generation: 0,
  at: 1_763_712_000_123_457,
  delivery_id: 'dlv_1',
  endpoint_id: 'ep_1',
  step: 3,
  attempt: 2,
  status: 'retrying',
  created_at: 1_763_712_000_000_001,
  outcome: 'http_5xx',
  http_status: 503,
  duration_ms: 12.5,
  detail: null,
  response_excerpt: Buffer.from('busy'),
  next_attempt_at: 1_763_712_005_000_001,
  ordering_key: 'né',
  request: {
    method: 'PUT',
    url: 'https://receiver.test/',
    headers: { 'webhook-id': 'evt_1', authorization: '***' },
  },
  response_headers: { server: 'né' },
  timing: { dns_ms: 1.25, connect_ms: 2, tls_ms: null, first_byte_ms: 9, body_ms: 0 },
};

const chunkOfSet: FannedOut = {
  kind: 'fanned_out',
  tenant: 'default',
  event_id: 'evt_1',
  generation: 1,
  at: 1_763_712_000_123_457,
  deliveries: [{ delivery_id: 'dlv_1', endpoint_id: 'ep_1' }],
  chunk: { try: 'one', index: 1, count: 3 },
};

const register = (topic: string, schema: AvroSchema): Promise<number[]> =>
  registerSchemas([{ subject: valueSubject(topic), schema }], { ...common, registryUrl: registryUrl() });

/** The schema of events with one more field. */
const eventsWith = (field: object): AvroSchema => {
  const schema = readSchema('events');
  return { ...schema, fields: [...(schema.fields as object[]), field] };
};

describe('registering', () => {
  it('registers a schema once, whoever asks how often', async () => {
    const topic = `${prefix}once`;
    const [first] = await register(topic, readSchema('events'));
    expect(await register(topic, readSchema('events'))).toEqual([first]);
  });

  it('makes later schemas of a subject backward compatible', async () => {
    const topic = `${prefix}compatible`;
    await register(topic, readSchema('events'));
    const rule = await fetch(`${registryUrl()}/config/${valueSubject(topic)}`);
    expect(await rule.json()).toMatchObject({ compatibilityLevel: 'BACKWARD' });
    await expect(register(topic, eventsWith({ name: 'region', type: 'string' }))).rejects.toMatchObject({
      code: 'config_invalid',
    });
    await expect(register(topic, eventsWith({ name: 'region', type: 'string', default: '' }))).resolves.toHaveLength(1);
  });

  it('says that the registry is away when the time is up', async () => {
    const nowhere = { ...common, registryUrl: 'http://127.0.0.1:1', timeoutMs: 300 };
    await expect(registerSchemas([{ subject: 's', schema: readSchema('events') }], nowhere)).rejects.toMatchObject({
      code: 'registry_unavailable',
    });
  });
});

describe('the codecs', () => {
  it('give back events and attempts as they were, to the microsecond and the byte', async () => {
    const topics = { events: `${prefix}events`, attempts: `${prefix}attempts` };
    await register(topics.events, readSchema('events'));
    await register(topics.attempts, readSchema('delivery.attempts'));
    const options = { ...common, registryUrl: registryUrl() };
    const events = createEventCodec({ ...options, topic: topics.events, schema: readSchema('events') });
    const attempts = createAttemptCodec({
      ...options,
      topic: topics.attempts,
      schema: readSchema('delivery.attempts'),
    });
    await Promise.all([events.start(), attempts.start()]);
    expect({ ...(await events.decode(events.encode(event))) }).toEqual(event);
    for (const record of [attempt, chunkOfSet]) expect(await attempts.decode(attempts.encode(record))).toEqual(record);
  });

  it('read what older and newer versions of the schema wrote', async () => {
    const topic = `${prefix}versions`;
    const newer = eventsWith({ name: 'region', type: 'string', default: 'eu' });
    const options = { ...common, registryUrl: registryUrl(), topic };
    await register(topic, readSchema('events'));
    await register(topic, newer);
    const now = createEventCodec({ ...options, schema: readSchema('events') });
    const later = createAvroCodec<EventRecord & { region: string }>({ ...options, schema: newer });
    await Promise.all([now.start(), later.start()]);
    expect({ ...(await later.decode(now.encode(event))) }).toEqual({ ...event, region: 'eu' });
    expect({ ...(await now.decode(later.encode({ ...event, region: 'us' }))) }).toEqual(event);
  });

  it('read events of the version that had no requests and no tags, and can be read by it', async () => {
    const topic = `${prefix}event-versions`;
    const now = readSchema('events');
    const fields = now['fields'] as { name: string }[];
    const before = { ...now, fields: fields.filter(({ name }) => !['request', 'tags'].includes(name)) };
    await register(topic, before);
    await register(topic, now);
    const options = { ...common, registryUrl: registryUrl(), topic };
    const newer = createEventCodec({ ...options, schema: now });
    const older = createAvroCodec<Partial<EventRecord>>({ ...options, schema: before });
    await Promise.all([newer.start(), older.start()]);
    const known: Partial<EventRecord> = { ...event };
    delete known.request;
    delete known.tags;
    expect({ ...(await older.decode(newer.encode(event))) }).toEqual(known);
    expect({ ...(await newer.decode(older.encode(known))) }).toEqual({ ...known, request: null, tags: {} });
  });

  it('read requests of the version that had no trail, and can be read by it', async () => {
    const topic = `${prefix}request-versions`;
    const now = readSchema('events');
    const before = structuredClone(now) as typeof now & {
      fields: { name: string; type: { fields: { name: string }[] }[] }[];
    };
    const record = before.fields.find(({ name }) => name === 'request')?.type[1];
    if (record === undefined) throw new Error('the schema has no request');
    record.fields = record.fields.filter(({ name }) => name !== 'trail');
    await register(topic, before);
    await register(topic, now);
    const options = { ...common, registryUrl: registryUrl(), topic };
    const newer = createEventCodec({ ...options, schema: now });
    const older = createAvroCodec<EventRecord>({ ...options, schema: before });
    await Promise.all([newer.start(), older.start()]);
    const { trail, ...request } = event.request as EventRequest;
    expect(trail).toHaveLength(1);
    expect((await older.decode(newer.encode(event))).request).toMatchObject(request);
    expect((await older.decode(newer.encode(event))).request).not.toHaveProperty('trail');
    expect((await newer.decode(older.encode({ ...event, request }))).request).toMatchObject({ ...request, trail: [] });
  });

  it.each([
    ['no exchange in them', ['request', 'response_headers', 'timing'], attempt],
    ['only whole sets', ['chunk'], chunkOfSet],
  ])('read attempts of the version that had %s, and can be read by it', async (_, added, record) => {
    const topic = `${prefix}attempt-versions-without-${added[0]}`;
    const now = readSchema('delivery.attempts');
    const fields = now.fields as { name: string }[];
    const before = { ...now, fields: fields.filter(({ name }) => !added.includes(name)) };
    await register(topic, before);
    await register(topic, now);
    const options = { ...common, registryUrl: registryUrl(), topic };
    const newer = createAttemptCodec({ ...options, schema: now });
    const older = createAvroCodec<Partial<AvroAttempt>>({ ...options, schema: before });
    await Promise.all([newer.start(), older.start()]);
    const known = Object.fromEntries(Object.entries(attemptToAvro(record)).filter(([name]) => !added.includes(name)));
    expect({ ...(await older.decode(newer.encode(record))) }).toEqual(known);
    const unknown = Object.fromEntries(added.map((name) => [name, null]));
    expect(await newer.decode(older.encode(known))).toEqual({ ...record, ...unknown });
  });

  it('refuse what is no value of theirs as data', async () => {
    const topic = `${prefix}invalid`;
    await register(topic, readSchema('events'));
    const codec = createEventCodec({ ...common, registryUrl: registryUrl(), topic, schema: readSchema('events') });
    await codec.start();
    const bytes = codec.encode(event);
    const neverRegistered = Buffer.from(bytes);
    neverRegistered.writeInt32BE(2_000_000_000, 1);
    const broken = [
      Buffer.alloc(0),
      Buffer.from([0, 0, 0]),
      Buffer.from('{"id":1}'),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, Buffer.from('x')]),
      neverRegistered,
    ];
    for (const each of broken) {
      await expect(codec.decode(each)).rejects.toMatchObject({ code: 'data_invalid', retryable: false });
    }
    const noId = Buffer.from(bytes);
    noId.writeInt32BE(-1, 1);
    await expect(codec.decode(noId)).rejects.toMatchObject({ code: 'data_invalid' });
    const encodeIncomplete = async (): Promise<Buffer> => codec.encode({ ...event, tenant: undefined as never });
    await expect(encodeIncomplete()).rejects.toMatchObject({ code: 'data_invalid' });
  });

  it('refuse a count of entries that are not there at once: they once went round as often as it says', async () => {
    const topic = `${prefix}counts`;
    await register(topic, readSchema('events'));
    const codec = createEventCodec({ ...common, registryUrl: registryUrl(), topic, schema: readSchema('events') });
    await codec.start();
    const bytes = codec.encode({ ...event, http_headers: { marker: 'a' } });
    // The map's count is the byte before the length of its first key.
    const at = bytes.indexOf('marker') - 2;
    const lies = Buffer.concat([
      bytes.subarray(0, at),
      Buffer.from('feffffffffffffff1f', 'hex'),
      bytes.subarray(at + 1),
    ]);
    await expect(codec.decode(lies)).rejects.toMatchObject({ code: 'data_invalid' });
  });

  it('take a schema that they can’t read for a fault of the record, and not for a registry that is away', async () => {
    const topic = `${prefix}foreign`;
    await register(topic, readSchema('events'));
    const codec = createEventCodec({ ...common, registryUrl: registryUrl(), topic, schema: readSchema('events') });
    await codec.start();
    const answer = await fetch(`${registryUrl()}/subjects/${topic}.proto-value/versions`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
      body: JSON.stringify({ schemaType: 'PROTOBUF', schema: 'syntax = "proto3"; message A { string a = 1; }' }),
    });
    const { id } = (await answer.json()) as { id: number };
    const foreign = codec.encode(event);
    foreign.writeInt32BE(id, 1);
    await expect(codec.decode(foreign)).rejects.toMatchObject({ code: 'data_invalid' });
  });

  describe('with the registry away', () => {
    let link: TcpProxy;
    let url: string;
    beforeEach(async () => {
      const { hostname, port, pathname } = new URL(registryUrl());
      link = await startTcpProxy({ host: hostname, port: Number(port) }, Math.random);
      url = `http://127.0.0.1:${link.port}${pathname}`;
    });
    afterEach(() => link.close());
    const cut = () => link.set({ kind: 'refuses' });
    const mend = () => link.set(undefined);

    it('go on with the schemas that they know, and wait for it with those that they do not', async () => {
      const topic = `${prefix}away`;
      const newer = eventsWith({ name: 'region', type: 'string', default: 'eu' });
      await register(topic, readSchema('events'));
      await register(topic, newer);
      const later = createAvroCodec({ ...common, registryUrl: registryUrl(), topic, schema: newer });
      const codec = createEventCodec({ ...common, registryUrl: url, topic, schema: readSchema('events') });
      await Promise.all([later.start(), codec.start()]);
      const unknown = later.encode({ ...event, region: 'us' });

      await cut();
      expect({ ...(await codec.decode(codec.encode(event))) }).toEqual(event);
      await expect(codec.decode(unknown)).rejects.toMatchObject({ code: 'registry_unavailable', retryable: true });
      await mend();
      expect({ ...(await codec.decode(unknown)) }).toEqual(event);
      await cut();
      expect({ ...(await codec.decode(unknown)) }).toEqual(event);
    });

    it('start once it is back', async () => {
      const topic = `${prefix}late`;
      await register(topic, readSchema('events'));
      const options = { ...common, registryUrl: url, topic, schema: readSchema('events') };
      await cut();
      await expect(createEventCodec({ ...options, startTimeoutMs: 200 }).start()).rejects.toMatchObject({
        code: 'registry_unavailable',
      });
      const codec = createEventCodec(options);
      const started = codec.start();
      await mend();
      await started;
      expect(codec.encode(event).subarray(0, 1)).toEqual(Buffer.from([0]));
    });
  });
});
