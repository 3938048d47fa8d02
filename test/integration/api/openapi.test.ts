/** Every operation of the API's document, asked of a running API: each answer is one that the document has, and as it says. */
import { fastify } from 'fastify';
import { systemClock } from '#lib/runtime';
import type { DocumentedOperation } from '../../../services/api/openapi/describe-operation.ts';
import type { OpenApiDocument } from '../../../services/api/openapi/build-document.ts';
import { createAsOfTokens } from '../../../services/api/replays/by-filter/as-of.ts';
import { type Answer, type Asking } from '../../unit/api/ask.ts';
import { testEncryptionKeys } from '../../unit/api/build-test-app.ts';
import { type OpenApi, openApi } from './api-over-database.ts';
import { createThings, testEndpoint, type Things } from './openapi-world.ts';

const tenant = 'documented';
let api: OpenApi;
/** An API that holds a long poll until there is something. */
let patient: OpenApi;
let things: Things;
let document: OpenApiDocument;
let problemsWith: (schema: object, value: unknown) => string;
/** `operation status`, of what was answered. */
const answered = new Set<string>();

beforeAll(async () => {
  // A long poll is answered at once here, with what there is.
  api = await openApi({ closing: AbortSignal.abort() });
  patient = await openApi({ clock: systemClock });
  things = await createThings(api, tenant);
  document = (await api.ask({ path: '/openapi.json' })).json<OpenApiDocument>();
  for (const name of ['type.other', 'type.former', 'type.merging'])
    await api.ask({ method: 'POST', path: '/v1/event-types', tenant, body: { name, schema: true } });
  await api.ask({ method: 'POST', path: '/v1/event-types/type.former/rename', tenant, body: { to: 'type.main' } });
  problemsWith = await createValidation(document);
});
afterAll(async () => {
  await api.close();
  await patient.close();
});

type Case = Omit<Asking, 'path'> & { path?: string };

/** Requests that each operation answers well, by its id. Without `path` the operation's own is used. */
const cases: Record<string, () => Case[]> = {
  createSource: () => [{ body: { name: 'new', scheme: 'hookline' } }],
  listSources: () => [{}, { path: '/v1/sources?limit=1' }],
  getSource: () => [{ path: `/v1/sources/${things.source}` }],
  updateSource: () => [{ path: `/v1/sources/${things.source}`, body: { name: 'renamed', dedup_id: null } }],
  deleteSource: () => [{ path: `/v1/sources/${things.source}` }],
  rotateSourceSecret: () => [
    { path: `/v1/sources/${things.source}/rotate-secret`, body: { overlap_seconds: 0 } },
    { path: `/v1/sources/${things.source}/rotate-secret` },
  ],
  listSourceRejections: () => [{ path: `/v1/sources/${things.source}/rejections` }],
  verifyWebhook: () => [
    { path: `/v1/sources/${things.source}/verify`, body: { headers: { 'X-Signature': ['a', 'b'] }, body: '{}' } },
  ],
  sampleWebhook: () => [{ path: `/v1/sources/${things.source}/sample` }],
  createEndpoint: () => [{ body: { url: 'https://receiver.example/' } }],
  listEndpoints: () => [{}, { path: '/v1/endpoints?status=enabled&failing=false&q=receiver' }],
  getEndpoint: () => [{ path: `/v1/endpoints/${things.endpoint}` }],
  updateEndpoint: () => [{ path: `/v1/endpoints/${things.endpoint}`, body: { retry: { schedule: [5] }, proxy: null } }],
  deleteEndpoint: () => [{ path: `/v1/endpoints/${things.endpoint}` }],
  rotateEndpointSecret: () => [{ path: `/v1/endpoints/${things.endpoint}/rotate-secret` }],
  disableEndpoint: () => [{ path: `/v1/endpoints/${things.endpoint}/disable` }],
  enableEndpoint: () => [{ path: `/v1/endpoints/${things.endpoint}/enable` }],
  pauseEndpoint: () => [{ path: `/v1/endpoints/${things.endpoint}/pause` }],
  getEndpointHealth: () => [{ path: `/v1/endpoints/${things.endpoint}/health` }],
  resumeEndpoint: () => [{ path: `/v1/endpoints/${things.endpoint}/resume` }],
  probeEndpoint: () => [{ path: `/v1/endpoints/${things.endpoint}/probe` }],
  getStats: () => [{}, { path: '/v1/stats?by=type&step=1m&series=received,delivered' }],
  getSystem: () => [{}],
  recoverEndpoint: () => [
    { path: `/v1/endpoints/${things.endpoint}/recover`, body: { since: '2020-01-01T00:00:00Z' } },
  ],
  testEndpoint: () => [{ path: `/v1/endpoints/${things.endpoint}/test` }],
  publishEvent: () => [
    { body: { type: 'order.paid', payload: [1], event_id: 'e', ordering_key: 'k', tags: { a: 'b' } } },
  ],
  listEvents: () => [
    {},
    { path: '/v1/events?limit=2' },
    { path: '/v1/events?type=none&wait=0' },
    { path: '/v1/events?order=desc&limit=1&has=dead_letters' },
  ],
  searchEvents: () => [{ path: `/v1/events/search?filter=${encodeURIComponent('{"id":{"$exists":true}}')}` }],
  getEvent: () => [{ path: `/v1/events/${things.event}` }],
  getEventPayload: () => [{ path: `/v1/events/${things.event}/payload` }],
  getEventRequest: () => [{ path: `/v1/events/${things.event}/request` }],
  listEventDeliveries: () => [{ path: `/v1/events/${things.event}/deliveries?limit=1` }],
  listEventReceipts: () => [{ path: `/v1/events/${things.event}/receipts` }],
  listEventMatching: () => [{ path: `/v1/events/${things.event}/matching?limit=1` }],
  replayEvent: () => [{ path: `/v1/events/${things.event}/replay` }],
  replayEvents: () => [
    { body: { filter: { type: 'order.paid', has: ['dead_letters'] }, rate_per_second: 5, dry_run: true } },
    { body: { all: true, as_of: asOfBulk('replay_events') } },
  ],
  retryDeliveries: () => [
    { body: { filter: { status: 'dead_lettered' }, dry_run: true } },
    { body: { all: true, as_of: asOfBulk('retry_deliveries') } },
  ],
  cancelDeliveries: () => [
    { body: { all: true, dry_run: true } },
    { body: { all: true, as_of: asOfBulk('cancel_deliveries') } },
  ],
  listDeliveries: () => [{}, { path: '/v1/deliveries?status=dead_lettered&order=asc&limit=1' }],
  getDelivery: () => [things.delivered, things.waiting, things.dead].map((id) => ({ path: `/v1/deliveries/${id}` })),
  listDeliveryAttempts: () => [{ path: `/v1/deliveries/${things.delivered}/attempts` }],
  retryDelivery: () => [things.waiting, things.dead].map((id) => ({ path: `/v1/deliveries/${id}/retry` })),
  cancelDelivery: () => [things.pending, things.cancelled].map((id) => ({ path: `/v1/deliveries/${id}/cancel` })),
  listDeadLetters: () => [{}, { path: '/v1/dead-letters?stage=dispatcher&limit=1' }],
  getDeadLetter: () => [{ path: `/v1/dead-letters/${things.deadLetter}` }],
  replayDeadLetters: () => [{ body: { all: true, dry_run: true } }, { body: { stage: 'dispatcher' } }],
  listReplays: () => [{}],
  getReplay: () => [{ path: `/v1/replays/${replay}` }, { path: `/v1/replays/${replay}?wait=1` }],
  listReplayItems: () => [{ path: `/v1/replays/${replay}/items?limit=1` }],
  cancelReplay: () => [{ path: `/v1/replays/${replay}` }],
  createErasure: () => [
    { body: { filter: { type: 'erased' }, dry_run: true } },
    // Read as it is sent, when the answer before it is known.
    {
      body: {
        filter: { type: 'erased' },
        get as_of() {
          return erasureAsOf;
        },
      },
    },
  ],
  getErasure: () => [{ path: `/v1/erasures/${erasure}` }],
  eraseEvent: () => [{ path: `/v1/events/${things.event}` }],
  createEventType: () => [
    {
      body: {
        name: 'made.here',
        description: 'See [[made.here]].',
        notes: 'n',
        category: 'c',
        visibility: 'portal',
        enforce: 'tag',
        deprecation: { successor: 'type.other' },
        version_notes: 'v',
        schema: { type: 'object', properties: { id: {} } },
        example: { id: 1 },
      },
    },
    { body: { name: 'type.bare' } },
  ],
  listEventTypes: () => [
    {},
    { path: '/v1/event-types?status=active&visibility=public&group=a&q=b&category=c&limit=1' },
  ],
  listEventTypeChanges: () => [{}, { path: '/v1/event-types/changes?visibility=portal&limit=1' }],
  listObservedTypes: () => [{}, { path: '/v1/event-types/observed?limit=1' }],
  importEventTypes: () => [
    { body: { document: { 'type.imported': true }, dry_run: true } },
    {
      body: {
        document: { 'type.imported': { type: 'object' }, 'type.other': true },
        visibility: 'public',
        category: 'c',
      },
    },
  ],
  exportEventTypes: () => [{}, { path: '/v1/event-types/export?visibility=public&group=type&category=c' }],
  getEventType: () => [{ path: '/v1/event-types/type.main' }, { path: '/v1/event-types/type.former' }],
  putEventType: () => [
    { path: '/v1/event-types/type.put', body: { schema: true } },
    { path: '/v1/event-types/type.put', body: {} },
  ],
  updateEventType: () => [{ path: '/v1/event-types/type.main', body: { notes: 'changed', category: null } }],
  retireEventType: () => [{ path: '/v1/event-types/type.put' }],
  renameEventType: () => [{ path: '/v1/event-types/type.put/rename', body: { to: 'type.put' } }],
  mergeEventType: () => [{ path: '/v1/event-types/type.merging/merge', body: { into: 'type.main', reason: 'same' } }],
  pauseEventType: () => [
    { path: '/v1/event-types/type.main/pause', body: { reason: 'r', until: '2200-01-01T00:00:00Z' } },
  ],
  resumeEventType: () => [{ path: '/v1/event-types/type.main/resume' }],
  listEventTypeVersions: () => [
    { path: '/v1/event-types/type.main/versions?limit=1' },
    { path: '/v1/event-types/type.former/versions' },
  ],
  getEventTypeVersion: () => [
    { path: '/v1/event-types/type.main/versions/1' },
    { path: '/v1/event-types/type.former/versions/1' },
  ],
  publishEventTypeVersion: () => [
    { path: '/v1/event-types/type.main/versions', body: { schema: { type: 'object' }, notes: 'n', breaking: true } },
  ],
  createApiKey: () => [{ body: { name: 'new', scopes: ['admin'], rate_limit: { per_second: 1, burst: 2 } } }],
  listApiKeys: () => [{}],
  getApiKey: () => [{ path: `/v1/api-keys/${things.key}` }],
  deleteApiKey: () => [{ path: `/v1/api-keys/${things.key}` }],
  createSession: () => [{ body: { scopes: ['read'], expires_in_seconds: 60 } }, { body: { code: true } }, {}],
  redeemSession: () => [{ body: { code: sessionCode } }],
  listSessions: () => [{}, { path: '/v1/sessions?limit=1' }],
  deleteSession: () => [{ path: `/v1/sessions/${session}` }],
  createPortalLink: () => [
    {
      body: {
        capabilities: ['view', 'secrets'],
        expires_in_seconds: 60,
        accent: '#1a5fb4',
        tenant,
        return_url: 'https://app.test/back',
      },
    },
    { body: { capabilities: ['view'] } },
  ],
  redeemPortalLink: () => [{ body: { code: portalLink.code, dry_run: true } }, { body: { code: portalLink.code } }],
  listPortalLinks: () => [{}, { path: '/v1/portal-links?limit=1' }],
  getPortalLink: () => [{ path: `/v1/portal-links/${portalLink.id}` }],
  deletePortalLink: () => [{ path: `/v1/portal-links/${portalLink.id}` }],
  getMe: () => [{}],
  listLimits: () => [{}],
  listTenants: () => [{}, { path: '/v1/tenants?limit=1' }],
  getTenant: () => [{ path: `/v1/tenants/${tenant}` }],
  putTenant: () => [{ path: '/v1/tenants/acme', body: { name: 'Acme', limits: { endpoints: 1 } } }],
  deleteTenant: () => [{ path: '/v1/tenants/leaving?confirm=leaving' }],
  listAuditEntries: () => [{}, { path: '/v1/audit?limit=1' }, { path: '/v1/audit?actor=admin&action=source.create' }],
  getOpenApi: () => [{}],
  getOpenApiOfVersion: () => [{}],
  getDocs: () => [{}],
};
let replay = '';
let erasureAsOf = '';
let erasure = '';
let session = '';
let sessionCode = '';
let portalLink = { id: '', code: '' };

/** The `as_of` of a dry run of everything. */
const asOfBulk = (operation: string): string =>
  createAsOfTokens(testEncryptionKeys).write(
    { tenant, operation, request: { filter: {}, endpointId: null, limit: 10_000_000, ratePerSecond: null } },
    { at: Date.now() * 1_000, count: 1 },
  );

interface Placed {
  path: string;
  method: string;
  operation: DocumentedOperation;
}

/** Deletions go last. */
const operations = (): Placed[] =>
  Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
    .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

const ask = (placed: Placed, { path = placed.path, ...given }: Case): Promise<Answer> =>
  api.ask({ method: placed.method, tenant, path, ...given });

interface Response {
  headers?: Record<string, object>;
  content?: Record<string, { schema: object }>;
}

/** Fails where the document does not have such an answer. */
function expectDocumented({ path, method, operation }: Placed, answer: Answer): void {
  const what = `${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`;
  const response: Response | undefined = operation.responses[answer.status];
  expect(`${what} ${response === undefined ? 'is not documented' : 'is documented'}`).toBe(`${what} is documented`);
  answered.add(`${operation.operationId} ${answer.status}`);
  const [[type, body] = []] = Object.entries(response?.content ?? {});
  if (body === undefined) {
    expect([what, answer.text]).toEqual([what, '']);
  } else {
    const given = (answer.headers['content-type'] ?? '').split(';')[0];
    expect([what, type === '*/*' ? type : given]).toEqual([what, type]);
    if (type?.endsWith('json') === true)
      expect(`${what}\n${problemsWith(body.schema, answer.json())}`).toBe(`${what}\n`);
  }
  const always = Object.keys(response?.headers ?? {}).filter((name) => !sometimes.includes(name));
  expect([what, always.filter((name) => answer.headers[name.toLowerCase()] === undefined)]).toEqual([what, []]);
}

const sometimes = ['Link', 'Idempotent-Replayed', 'Preference-Applied'];

test('valid requests are answered as documented', async () => {
  for (const placed of operations()) {
    const { operationId } = placed.operation;
    const given = cases[operationId];
    if (given === undefined) throw new Error(`${operationId} is not asked for`);
    for (const one of given()) {
      const answer = await ask(placed, one);
      expect([operationId, answer.text, answer.status < 400]).toEqual([operationId, answer.text, true]);
      expectDocumented(placed, answer);
      if (operationId === 'createSession') {
        const made = answer.json<{ id: string; code: string | null }>();
        session = made.id;
        sessionCode = made.code ?? sessionCode;
      }
      if (operationId === 'createPortalLink') portalLink = answer.json();
      if (operationId === 'createErasure') {
        const made = answer.json<{ id?: string; as_of: string }>();
        erasureAsOf = made.id === undefined ? made.as_of : erasureAsOf;
        erasure = made.id ?? erasure;
      }
      if (operationId === 'replayEvent') replay = answer.json<{ id: string }>().id;
      if (['listEvents', 'listEventTypes', 'getReplay'].includes(operationId) && answer.status === 200)
        expectDocumented(
          placed,
          await ask(placed, { ...one, headers: { 'if-none-match': answer.headers.etag ?? '' } }),
        );
    }
  }
  for (const placed of operations().filter(({ operation }) => operation.operationId === 'testEndpoint')) {
    const answer = await testEndpoint(patient, tenant);
    expect([answer.text, answer.status]).toEqual([answer.text, 200]);
    expectDocumented(placed, answer);
  }
  const expected = operations().flatMap(({ operation }) =>
    Object.keys(operation.responses)
      .filter((status) => Number(status) < 400)
      .map((status) => `${operation.operationId} ${status}`),
  );
  expect(expected.filter((one) => !answered.has(one))).toEqual([]);
});

test('a deleted resource is gone as documented', async () => {
  for (const placed of operations()) {
    const { operationId } = placed.operation;
    const id = [things.source, things.endpoint, things.key, session, portalLink.id].find((one) =>
      cases[operationId]?.()[0]?.path?.includes(one),
    );
    if (id === undefined) continue;
    for (const one of cases[operationId]?.() ?? []) {
      const answer = await ask(placed, one);
      expect([operationId, answer.status]).toEqual([operationId, 410]);
      expectDocumented(placed, answer);
    }
  }
});

describe('invalid requests are refused as documented:', () => {
  const refusedAs = async (status: number, wrong: (placed: Placed) => Case | undefined): Promise<number> => {
    let asked = 0;
    for (const placed of operations()) {
      if (placed.operation.security.length === 0) continue;
      const one = wrong(placed);
      if (one === undefined) continue;
      const path = (one.path ?? placed.path).replace('{id}', 'nothing');
      const answer = await ask(placed, { ...one, path });
      expect([placed.operation.operationId, answer.text, answer.status]).toEqual([
        placed.operation.operationId,
        answer.text,
        status,
      ]);
      expectDocumented(placed, answer);
      asked += 1;
    }
    return asked;
  };
  /** A tenant exists as soon as it is named. */
  const existsByName = ({ path, method }: Placed): boolean => path.startsWith('/v1/tenants/') && method !== 'GET';
  const example = ({ operation }: Placed): Case => cases[operation.operationId]?.()[0] ?? {};

  test('without a key', async () => {
    expect(await refusedAs(401, () => ({ headers: { authorization: 'Bearer none' } }))).toBeGreaterThan(30);
  });

  test('a tenant that can be none', async () => {
    expect(await refusedAs(400, () => ({ headers: { 'hookline-tenant': '-' } }))).toBeGreaterThan(30);
  });

  test('an id of nothing', async () => {
    const asked = await refusedAs(404, (placed) =>
      placed.path.includes('{id}') && !existsByName(placed) ? { ...example(placed), path: placed.path } : undefined,
    );
    expect(asked).toBeGreaterThan(15);
  });

  test('a parameter that is not documented', async () => {
    const asked = await refusedAs(400, ({ path, operation }) =>
      operation.parameters.some((given) => 'in' in given && given.in === 'query')
        ? { path: `${path}?nothing=1` }
        : undefined,
    );
    expect(asked).toBeGreaterThan(8);
  });

  test('a body that is none', async () => {
    const asked = await refusedAs(400, ({ operation }) =>
      operation.requestBody === undefined ? undefined : { body: { nothing: 1 } },
    );
    expect(asked).toBeGreaterThan(12);
  });

  test('a body of another type', async () => {
    const headers = { 'content-type': 'text/plain' };
    const asked = await refusedAs(415, ({ operation }) =>
      operation.requestBody === undefined ? undefined : { body: 'text', headers },
    );
    expect(asked).toBeGreaterThan(12);
  });

  test('an idempotency key that can be none', async () => {
    const headers = { 'idempotency-key': 'a'.repeat(256) };
    const asked = await refusedAs(400, ({ method }) => (method === 'POST' ? { headers } : undefined));
    expect(asked).toBeGreaterThan(12);
  });
});

test('a schema that forgets a field, or promises one too many, is found out', async () => {
  const answer = (await api.ask({ path: '/v1/events', tenant })).json<Record<string, unknown>[]>();
  const schema = { $ref: '#/components/schemas/Event' };
  expect(problemsWith(schema, answer[0])).toBe('');
  expect(problemsWith(schema, { ...answer[0], more: 1 })).not.toBe('');
  expect(problemsWith(schema, { ...answer[0], type: undefined })).not.toBe('');
});

/** By the validator that the API's framework has: what is not documented is refused, here as in requests. */
async function createValidation({ components }: OpenApiDocument): Promise<typeof problemsWith> {
  const app = fastify({
    ajv: { customOptions: { strict: false, allErrors: true, coerceTypes: false, removeAdditional: false } },
  });
  const shared = inline(components['schemas'] ?? {});
  const compiled = new Map<string, (value: unknown) => string>();
  let compile: ((schema: object) => (value: unknown) => string) | undefined;
  app.get('/', async (request) => {
    compile = (schema) => {
      const validate = request.compileValidationSchema({ ...inline(schema), definitions: shared });
      return (value) => (validate(value) === true ? '' : JSON.stringify(validate.errors));
    };
    return {};
  });
  await app.inject('/');
  await app.close();
  return (schema, value) => {
    const text = JSON.stringify(schema);
    const validate = compiled.get(text) ?? compile?.(schema);
    if (validate === undefined) throw new Error('no validator');
    compiled.set(text, validate);
    // As it came over the wire: what is undefined is not there.
    return validate(JSON.parse(JSON.stringify(value)));
  };
}

/** The same schema with its references led to `definitions`, and its objects closed. */
const inline = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/definitions/'), (_key, value: unknown) =>
    isOpenObject(value) ? { ...value, additionalProperties: false } : value,
  ) as object;

const isOpenObject = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  'properties' in value &&
  'type' in value &&
  !('additionalProperties' in value);
