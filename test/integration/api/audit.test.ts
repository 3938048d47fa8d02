/** Each operation of the API's document that changes something leaves its entry, in the transaction of its change, and no entry has a secret. */
import { createHash } from 'node:crypto';
import { operationIds } from '#lib/api-contract';
import type { OpenApiDocument } from '../../../services/api/openapi/build-document.ts';
import type { Answer } from '../../unit/api/ask.ts';
import { testRoutes } from '../../unit/api/build-test-app.ts';
import { withParameters } from '../../unit/api/certificates.ts';
import { nextPath, type OpenApi, openApi } from './api-over-database.ts';
import { createThings, type Things } from './openapi-world.ts';

const tenant = 'audited';
let api: OpenApi;
let things: Things;
let document: OpenApiDocument;
beforeAll(async () => {
  // A test of an endpoint is not waited for.
  api = await openApi({ closing: AbortSignal.abort() });
  things = await createThings(api, tenant);
  document = (await api.ask({ path: '/openapi.json' })).json<OpenApiDocument>();
});
afterAll(() => api.close());

interface Entry {
  id: string;
  at: string;
  actor: { type: string; id: string; key_id: string };
  action: string;
  resource_id: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  request_id: string;
}

/** All entries of a tenant, the newest first. */
async function entriesOf(of = tenant, query = ''): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let path: string | undefined = `/v1/audit?limit=5${query}`; path !== undefined;) {
    const answer: Answer = await api.ask({ path, tenant: of });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    entries.push(...answer.json<Entry[]>());
    path = nextPath(answer.headers.link);
  }
  return entries;
}

/** No entry may have any of these. */
const secrets: string[] = [];
const secret = (text: string): string => (secrets.push(text), text);
const certificate = (pem: string): string => pem.split('\n')[3] ?? pem;

const url = () => `https://user.example/hook?apikey=${secret('in-the-query')}`;
const endpointBody = () => ({
  url: url(),
  secret: secret(`whsec_${Buffer.from('a secret of an endpoint!').toString('base64')}`),
  filter: { customer: secret('the-customer@example.com') },
  headers: {
    Authorization: `Bearer ${secret('a-bearer-token')}`,
    'X-Api-Key': secret('an-api-key'),
    'X-Plain': 'plain',
  },
  proxy: `http://user:${secret('proxy-password')}@proxy.example:3128`,
  client_certificate: withParameters,
});

interface Performed {
  path?: string;
  body?: object;
  /** Default: the id in the answer. */
  resource?: string;
  /** Default: the tenant of the request. */
  of?: string;
}

let types = 0;
/** A type of its own for each change. */
async function onType(path = '', body?: object, more: object = {}): Promise<Performed> {
  const name = `type.${(types += 1)}`;
  const given = { name, schema: true, example: { card: secret(`4000 ${types}`) } };
  const created = await api.ask({ method: 'POST', path: '/v1/event-types', tenant, body: given });
  const resource = created.json<{ id: string }>().id;
  if (path === '/resume') await api.ask({ method: 'POST', path: `/v1/event-types/${name}/pause`, tenant, body: {} });
  return { path: `/v1/event-types/${name}${path}`, resource, ...(body && { body }), ...more };
}

let replay = '';
let session = '';
let sessionCode = '';
let portalLink = { id: '', code: '' };

async function dryRunFirst(path: string, body: object): Promise<Performed> {
  const answer = await api.ask({ method: 'POST', path, tenant, body: { ...body, dry_run: true } });
  return { body: { ...body, as_of: answer.json<{ as_of: string }>().as_of } };
}

/** A request for each operation that changes something, by the operation's id. */
const performances: Record<string, () => Performed | Promise<Performed>> = {
  createSource: () => ({
    body: {
      name: 'new',
      scheme: 'hookline',
      secret: secret('a secret of a source, long enough'),
      verify_token: secret('a-verify-token'),
      public_url: url(),
    },
  }),
  updateSource: () => ({
    path: `/v1/sources/${things.source}`,
    body: { name: 'renamed', verify_token: secret('another-verify-token') },
    resource: things.source,
  }),
  deleteSource: () => ({ path: `/v1/sources/${things.source}`, resource: things.source }),
  rotateSourceSecret: () => ({ path: `/v1/sources/${things.source}/rotate-secret`, resource: things.source }),
  createEndpoint: () => ({ body: endpointBody() }),
  updateEndpoint: () => ({
    path: `/v1/endpoints/${things.endpoint}`,
    body: { ...endpointBody(), secret: undefined, description: 'changed' },
    resource: things.endpoint,
  }),
  deleteEndpoint: () => ({ path: `/v1/endpoints/${things.endpoint}`, resource: things.endpoint }),
  rotateEndpointSecret: () => ({ path: `/v1/endpoints/${things.endpoint}/rotate-secret`, resource: things.endpoint }),
  disableEndpoint: () => ({ path: `/v1/endpoints/${things.endpoint}/disable`, resource: things.endpoint }),
  enableEndpoint: () => ({ path: `/v1/endpoints/${things.endpoint}/enable`, resource: things.endpoint }),
  pauseEndpoint: () => ({ path: `/v1/endpoints/${things.endpoint}/pause`, resource: things.endpoint }),
  resumeEndpoint: () => ({ path: `/v1/endpoints/${things.endpoint}/resume`, resource: things.endpoint }),
  probeEndpoint: () => ({ path: `/v1/endpoints/${things.endpoint}/probe`, resource: things.endpoint }),
  verifyWebhook: () => ({ path: `/v1/sources/${things.source}/verify`, body: { headers: {}, body: '' } }),
  sampleWebhook: () => ({ path: `/v1/sources/${things.source}/sample`, body: {} }),
  recoverEndpoint: () => ({
    path: `/v1/endpoints/${things.endpoint}/recover`,
    body: { since: '2020-01-01T00:00:00Z', limit: 1 },
    resource: things.endpoint,
  }),
  testEndpoint: () => ({
    path: `/v1/endpoints/${things.endpoint}/test`,
    body: { payload: { card: secret('4242 4242 4242 4242') } },
    resource: things.endpoint,
  }),
  publishEvent: () => ({ body: { type: 'order.paid', payload: { card: secret('5555 5555') } } }),
  createErasure: () => dryRunFirst('/v1/erasures', { filter: { tag: `customer:${secret('the-erased-customer')}` } }),
  replayEvents: () => dryRunFirst('/v1/events/replay', { filter: { type: 'order.paid' } }),
  retryDeliveries: () => dryRunFirst('/v1/deliveries/retry', { filter: { status: 'retrying' } }),
  cancelDeliveries: () => dryRunFirst('/v1/deliveries/cancel', { filter: { status: 'pending' } }),
  eraseEvent: () => ({ path: `/v1/events/${things.event}`, resource: things.event }),
  replayEvent: () => ({ path: `/v1/events/${things.event}/replay`, resource: things.event }),
  retryDelivery: () => ({ path: `/v1/deliveries/${things.waiting}/retry`, resource: things.waiting }),
  cancelDelivery: () => ({ path: `/v1/deliveries/${things.pending}/cancel`, resource: things.pending }),
  replayDeadLetters: () => ({ body: { stage: 'dispatcher' } }),
  cancelReplay: () => ({ path: `/v1/replays/${replay}`, resource: replay }),
  createApiKey: () => ({ body: { name: 'new', scopes: ['read'] } }),
  deleteApiKey: () => ({ path: `/v1/api-keys/${things.key}`, resource: things.key }),
  createSession: () => ({ body: { code: true } }),
  createPortalLink: () => ({ body: { capabilities: ['view'] } }),
  redeemPortalLink: () => ({ body: { code: portalLink.code }, resource: portalLink.id }),
  deletePortalLink: () => ({ path: `/v1/portal-links/${portalLink.id}`, resource: portalLink.id }),
  redeemSession: () => ({ body: { code: sessionCode }, resource: session }),
  deleteSession: () => ({ path: `/v1/sessions/${session}`, resource: session }),
  deleteTenant: () => ({ path: '/v1/tenants/gone?confirm=gone', resource: 'gone', of: '*' }),
  createEventType: () => ({ body: { name: 'created', schema: true, example: { card: secret('3000 0000') } } }),
  putEventType: () => ({ path: '/v1/event-types/put', body: { schema: true, example: { card: secret('3100 0000') } } }),
  importEventTypes: async () => {
    const { resource } = await onType();
    return { body: { document: { [`type.${types}`]: { type: 'object' } }, breaking: true }, resource };
  },
  updateEventType: () => onType('', { notes: 'changed' }),
  retireEventType: () => onType(),
  renameEventType: () => onType('/rename', { to: `renamed.${types}` }),
  mergeEventType: async () => {
    await api.ask({ method: 'POST', path: '/v1/event-types', tenant, body: { name: 'merged' } });
    return onType('/merge', { into: 'merged' });
  },
  pauseEventType: () => onType('/pause', { reason: 'changed' }),
  resumeEventType: () => onType('/resume', {}),
  publishEventTypeVersion: () => onType('/versions', { schema: { type: 'object' }, breaking: true }),
  putTenant: () => ({ path: '/v1/tenants/named', body: { name: 'Named' }, resource: 'named', of: 'named' }),
};

/** Fields that an answer shows once. */
const shownOnce = ['secret', 'key', 'token', 'code'];

test('each operation that changes something leaves its entry, or says why it has none', async () => {
  const routes = new Map(
    testRoutes().map(({ config }) => [config?.operation && operationIds.get(config.operation), config?.audit]),
  );
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ path, method: method.toUpperCase(), operationId })),
    )
    .filter(({ method }) => method !== 'GET')
    .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  expect(operations.length).toBeGreaterThan(20);

  for (const { path, method, operationId } of operations) {
    const action = routes.get(operationId);
    const performance = performances[operationId];
    if (action === undefined)
      throw new Error(`${operationId} has no config.audit: services/api/audit/record-changes.ts`);
    if (performance === undefined) throw new Error(`${operationId} is not performed here`);
    const { resource, of = tenant, ...asking } = await performance();
    const known = new Set((await entriesOf(of)).map(({ id }) => id));
    const answer = await api.ask({ method, tenant, path, ...asking });
    expect([operationId, answer.text, answer.status < 300]).toEqual([operationId, answer.text, true]);
    const shown = answer.text === '' ? {} : answer.json<Record<string, string | null>>();
    for (const name of shownOnce) if (typeof shown[name] === 'string') secret(shown[name]);
    if (operationId === 'replayDeadLetters') replay = shown['id'] ?? '';
    if (operationId === 'createPortalLink') portalLink = { id: shown['id'] ?? '', code: shown['code'] ?? '' };
    if (operationId === 'createSession') [session, sessionCode] = [shown['id'] ?? '', shown['code'] ?? ''];

    const made = (await entriesOf(of)).filter(({ id }) => !known.has(id));
    if (typeof action === 'object') {
      expect([operationId, made, action.none.length > 20]).toEqual([operationId, [], true]);
      continue;
    }
    const id = resource ?? shown['id'];
    expect(made.map((entry) => [operationId, entry.action, entry.resource_id])).toEqual([[operationId, action, id]]);
    const [entry] = made;
    expect(entry?.actor.key_id).toBe('admin');
    expect([entry?.before ?? null, entry?.after ?? null]).not.toEqual([null, null]);
  }
});

test('no entry has a secret, nor what a filter or the query of a URL says', async () => {
  secrets.push(certificate(withParameters.certificate), certificate(withParameters.private_key));
  expect(new Set(secrets).size).toBeGreaterThan(15);
  const rows = await api.postgres.query<{ text: string }>('SELECT audit::text AS text FROM audit');
  expect(rows.length).toBeGreaterThan(20);
  const all = rows.map(({ text }) => text).join('\n');
  for (const text of secrets) {
    const forms = [text, Buffer.from(text).toString('base64'), createHash('sha256').update(text).digest('hex')];
    for (const form of forms) expect(all.includes(form) ? `an entry has ${text}` : '').toBe('');
  }
});

test('a change shows the fields that changed; digests are equal for equal values of a tenant alone', async () => {
  const create = async (of: string, filter: object) => {
    const body = { url: 'https://r.example/?a=1', filter, headers: { 'X-Plain': 'plain' } };
    const id = (await api.ask({ method: 'POST', path: '/v1/endpoints', tenant: of, body })).json<{ id: string }>().id;
    return (await entriesOf(of, `&resource=${id}`))[0];
  };
  const digest = /^hmac:test:[\w-]{22}$/;
  const [one, same, other, foreign] = [
    await create('d1', { n: 1 }),
    await create('d1', { n: 1 }),
    await create('d1', { n: 2 }),
    await create('d2', { n: 1 }),
  ];
  expect(one?.before).toBeNull();
  expect(one?.after).toMatchObject({
    filter: expect.stringMatching(digest) as string,
    url: expect.stringMatching(/^https:\/\/r\.example\/\?hmac:test:[\w-]{22}$/) as string,
    headers: { 'X-Plain': 'plain' },
  });
  expect(same?.after?.['filter']).toBe(one?.after?.['filter']);
  for (const another of [other, foreign]) expect(another?.after?.['filter']).not.toBe(one?.after?.['filter']);

  const patch = { method: 'PATCH', path: `/v1/endpoints/${one?.resource_id}`, tenant: 'd1' };
  await api.ask({ ...patch, body: { description: 'now said', filter: { n: 2 } } });
  const [changed] = await entriesOf('d1', '&action=endpoint.update');
  expect([changed?.before, changed?.after]).toEqual([
    { description: '', filter: one?.after?.['filter'] },
    { description: 'now said', filter: other?.after?.['filter'] },
  ]);
});

test('that a secret changed is said by the name of its setting', async () => {
  const headers = { Authorization: 'Bearer one', 'X-Plain': 'plain' };
  const body = { url: 'https://r.example/', headers, proxy: 'http://u:one@proxy.example' };
  const created = await api.ask({ method: 'POST', path: '/v1/endpoints', tenant: 'masked', body });
  const path = `/v1/endpoints/${created.json<{ id: string }>().id}`;
  const changes = { headers: { Authorization: 'Bearer two' }, proxy: 'http://u:two@proxy.example' };
  expect((await api.ask({ method: 'PATCH', path, tenant: 'masked', body: changes })).status).toBe(200);
  const [entry] = await entriesOf('masked', '&action=endpoint.update');
  expect([entry?.before, entry?.after]).toEqual([{}, { masked_changes: ['proxy', 'headers/Authorization'] }]);
});

test('what changes nothing leaves no entry', async () => {
  const of = 'still';
  const body = { url: 'https://r.example/' };
  const id = (await api.ask({ method: 'POST', path: '/v1/endpoints', tenant: of, body })).json<{ id: string }>().id;
  const post = (path: string, given: object = {}) => api.ask({ method: 'POST', path, tenant: of, body: given });
  expect((await post(`/v1/endpoints/${id}/enable`)).status).toBe(200);
  expect((await post('/v1/dead-letters/replay', { all: true, dry_run: true })).status).toBe(202);
  expect((await post('/v1/sources', { name: 'x' })).status).toBe(400);
  expect((await post(`/v1/endpoints/${id}x/disable`)).status).toBe(404);
  const ifMatch = { headers: { 'if-match': '"7"' } };
  expect((await api.ask({ method: 'DELETE', path: `/v1/endpoints/${id}`, tenant: of, ...ifMatch })).status).toBe(412);
  expect((await entriesOf(of)).map(({ action }) => action)).toEqual(['endpoint.create']);
});

describe('an entry and its change are one transaction:', () => {
  /** Makes a write of a tenant fail in the database, as an outage would. */
  async function failing(table: string, event: string, of: string, work: () => Promise<void>): Promise<void> {
    await api.postgres.query(
      `CREATE OR REPLACE FUNCTION fail_write() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF NEW.tenant = '${of}' THEN RAISE EXCEPTION 'as the test wants it'; END IF; RETURN NEW; END $$`,
    );
    await api.postgres.query(
      `CREATE TRIGGER fail_write BEFORE ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION fail_write()`,
    );
    try {
      await work();
    } finally {
      await api.postgres.query(`DROP TRIGGER fail_write ON ${table}`);
    }
  }
  const create = (of: string, key?: string) =>
    api.ask({
      method: 'POST',
      path: '/v1/sources',
      tenant: of,
      body: { name: 'shop', scheme: 'hookline' },
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    });
  const rowsOf = async (of: string) => {
    const [row] = await api.postgres.query<{ sources: number; entries: number }>(
      `SELECT (SELECT count(*)::int FROM sources WHERE tenant = $1) AS sources,
              (SELECT count(*)::int FROM audit WHERE tenant = $1) AS entries`,
      [of],
    );
    return row;
  };

  test.each([undefined, 'a-key'])('without its entry there is no change (idempotency key: %s)', async (key) => {
    const of = `entry-fails-${key ?? 'alone'}`;
    await failing('audit', 'INSERT', of, async () => {
      expect((await create(of, key)).status).toBe(503);
      expect(await rowsOf(of)).toEqual({ sources: 0, entries: 0 });
    });
    expect((await create(of, key)).status).toBe(201);
    expect(await rowsOf(of)).toEqual({ sources: 1, entries: 1 });
  });

  test('without its change, or the record of its idempotency key, there is no entry', async () => {
    await failing('tenant_resources', 'INSERT', 'change-fails', async () => {
      expect((await create('change-fails')).status).toBe(503);
    });
    expect(await rowsOf('change-fails')).toEqual({ sources: 0, entries: 0 });
    await failing('idempotency_keys', 'UPDATE', 'record-fails', async () => {
      expect((await create('record-fails', 'k')).status).toBeGreaterThanOrEqual(500);
    });
    expect(await rowsOf('record-fails')).toEqual({ sources: 0, entries: 0 });
  });

  test('a repetition with the key changes nothing, and leaves no second entry', async () => {
    for (let turn = 0; turn < 3; turn += 1) expect((await create('repeated', 'k')).status).toBe(201);
    expect(await rowsOf('repeated')).toEqual({ sources: 1, entries: 1 });
  });
});

test('entries are filtered by actor, action, resource and time, and another tenant’s are not seen', async () => {
  const of = 'filtered';
  const key = (
    await api.ask({ method: 'POST', path: '/v1/api-keys', tenant: of, body: { name: 'k', scopes: ['admin'] } })
  ).json<{ id: string; key: string }>();
  const byKey = { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' };
  const source = (
    await api.ask({ method: 'POST', path: '/v1/sources', headers: byKey, body: { name: 's', scheme: 'hookline' } })
  ).json<{ id: string }>();
  const actions = async (query: string) => (await entriesOf(of, query)).map(({ action }) => action);
  expect(await actions('')).toEqual(expect.arrayContaining(['source.create', 'api_key.create']));
  expect(await actions('&actor=admin')).toEqual(['api_key.create']);
  expect(await actions(`&actor=${key.id}`)).toEqual(['source.create']);
  expect(await actions(`&actor=${key.id}&resource=${source.id}&action=source.create`)).toEqual(['source.create']);
  expect(await actions(`&actor=${key.id}&action=source.delete`)).toEqual([]);
  // The clock of this API stands still.
  const [{ at } = { at: '' }] = await entriesOf(of);
  expect(await actions(`&since=${at}`)).toHaveLength(2);
  expect(await actions(`&until=${at}`)).toEqual([]);
  for (const query of ['since=yesterday', 'until=1', 'cursor=x', 'by=me', 'limit=0'])
    expect((await api.ask({ path: `/v1/audit?${query}`, tenant: of })).status).toBe(400);

  const others = await api.ask({ path: `/v1/audit?resource=${source.id}`, tenant: 'unrelated' });
  const none = await api.ask({ path: '/v1/audit?resource=src_nothing', tenant: 'unrelated' });
  expect([others.status, others.text]).toEqual([200, none.text]);
});
