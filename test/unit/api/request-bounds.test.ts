/** How much a request may bring: bytes by its route, and fields and items by its schema. */
import { bodyLimits } from '../../../services/api/http/body-limits.ts';
import { excessOf } from '../../../services/api/http/schema-bounds.ts';
import { type Answer, closeApps } from './ask.ts';
import { authorization, buildTestApp, testRoutes } from './build-test-app.ts';

afterAll(closeApps);

const { ask } = buildTestApp();
const json = { authorization, 'content-type': 'application/json' };

const routes = testRoutes().map((route) => ({ ...route, name: `${String(route.method)} ${route.url}` }));

/** Written out: any other route has `usual`. */
const larger: Readonly<Record<string, keyof typeof bodyLimits | number>> = {
  'POST /v1/portal-links/redeem': 'redeem',
  'POST /v1/sessions/redeem': 'redeem',
  'POST /v1/sources': 'source',
  'PATCH /v1/sources/:id': 'source',
  'POST /v1/sources/:id/verify': 'payloadAsText',
  'POST /v1/sources/:id/sample': 'payloadAsText',
  'POST /v1/endpoints': 'endpoint',
  'PATCH /v1/endpoints/:id': 'endpoint',
  'POST /v1/endpoints/:id/test': 'payload',
  'POST /v1/events': 'payload',
  'POST /v1/event-types': 'eventType',
  'PUT /v1/event-types/:name': 'eventType',
  'PATCH /v1/event-types/:name': 'eventTypeTexts',
  'POST /v1/event-types/:name/versions': 'eventType',
  'POST /v1/event-types/import': 16 * 1024 * 1024,
  'POST /v1/dead-letters/replay': 'ids',
};

test('every route takes as much as it needs, and says so where that is not the usual', () => {
  const declared = routes.flatMap(({ name, bodyLimit }) => (bodyLimit === undefined ? [] : [[name, bodyLimit]]));
  expect(Object.fromEntries(declared)).toEqual(
    Object.fromEntries(
      Object.entries(larger).map(([name, limit]) => [name, typeof limit === 'number' ? limit : bodyLimits[limit]]),
    ),
  );
  expect(bodyLimits.usual).toBe(65_536);
  expect(bodyLimits.redeem).toBe(4_096);
});

const withBodies = routes.filter(({ schema }) => schema?.body !== undefined);

test.each(withBodies.map(({ name, method, url, bodyLimit = bodyLimits.usual }) => ({ name, method, url, bodyLimit })))(
  '$name is 413 above $bodyLimit bytes, and says that number',
  async ({ method, url, bodyLimit }) => {
    const path = url.replaceAll(/:\w+/g, `x_${'0'.repeat(26)}`);
    const send = (bytes: number): Promise<Answer> =>
      ask({ method: String(method), path, headers: json, body: `{"x":"${'x'.repeat(bytes - 8)}"}` });
    const refused = await send(bodyLimit + 1);
    expect(refused.json()).toMatchObject({ status: 413, code: 'payload_too_large', limit: 'request_body' });
    expect(refused.json<{ detail: string }>().detail).toContain(`${bodyLimit.toLocaleString('en')} bytes`);
    expect((await send(bodyLimit)).status).not.toBe(413);
  },
);

/** A JSON Schema, as far as it bounds. */
interface Bounding {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  if?: Bounding;
  then?: Bounding;
  else?: Bounding;
  properties?: Readonly<Record<string, Bounding>>;
  additionalProperties?: boolean | Bounding;
  propertyNames?: Bounding;
  items?: Bounding;
  maxProperties?: number;
  maxItems?: number;
  maxLength?: number;
}

/** Members that hold any JSON, which only the size of the body and its depth bound. */
const anyJson = ['filter', 'payload', 'schema', 'schema/then', 'example'];

function unbounded(schema: Bounding, path: string): string[] {
  const types = [schema.type ?? []].flat();
  const isOpen = schema.additionalProperties !== false && schema.maxProperties === undefined;
  const own = [
    ...(types.includes('object') && isOpen ? ['neither additionalProperties: false nor maxProperties'] : []),
    ...(types.includes('array') && schema.maxItems === undefined ? ['no maxItems'] : []),
    ...(types.includes('string') && schema.maxLength === undefined && schema.enum === undefined
      ? ['no maxLength']
      : []),
    ...(types.length === 0 && schema.enum === undefined && schema.if === undefined && !anyJson.includes(path)
      ? ['any JSON']
      : []),
  ].map((lack) => `${path}: ${lack}`);
  const inner: [string, Bounding | undefined][] = [
    ...Object.entries(schema.properties ?? {}),
    ['*', typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined],
    ['(name)', schema.propertyNames && { type: 'string', ...schema.propertyNames }],
    ['[]', schema.items],
    ['then', schema.then],
    ['else', schema.else],
  ];
  return [
    ...own,
    ...inner.flatMap(([name, part]) =>
      part === undefined ? [] : unbounded(part, path === '' ? name : `${path}/${name}`),
    ),
  ];
}

test('the walk over schemas sees what is not bounded', () => {
  expect(
    unbounded(
      {
        type: 'object',
        properties: {
          a: { type: 'string' },
          b: { type: 'array', items: {} },
          filter: {},
          c: { if: {}, else: { type: 'object' } },
        },
      },
      '',
    ),
  ).toEqual([
    ': neither additionalProperties: false nor maxProperties',
    'a: no maxLength',
    'b: no maxItems',
    'b/[]: any JSON',
    'c/else: neither additionalProperties: false nor maxProperties',
  ]);
});

test.each(routes.filter(({ schema }) => schema !== undefined))('the schemas of $name bound everything', (route) => {
  const { body, querystring } = route.schema as { body?: Bounding; querystring?: Bounding };
  expect(unbounded(querystring ?? { additionalProperties: false }, 'query')).toEqual(
    querystring ? [] : ['query: any JSON'],
  );
  if (body === undefined) return;
  // A patch is checked by the schema of its creation, once it is merged.
  const isPatch = route.config?.operation?.patchOf !== undefined;
  if (isPatch) expect(body.additionalProperties).toBe(false);
  else expect(unbounded(body, '')).toEqual([]);
});

const wide = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 0]));

describe('a request with too much', () => {
  const post = (path: string, body: object) => ask({ method: 'POST', path, headers: json, body });

  test('has its first errors listed, and the others counted', async () => {
    const answer = await post('/v1/sources', wide(4_341));
    const { errors, detail } = answer.json<{ errors: object[]; detail: string }>();
    expect(answer.status).toBe(400);
    expect(errors).toHaveLength(20);
    expect(errors[0]).toEqual({ field: '/f0', message: 'is an unknown field' });
    expect(detail).toMatch(/; and 4,321 more$/);
    expect(answer.json()).toMatchObject({ more_errors: 4_321 });
  });

  test('is told of all that is wrong where that is little', async () => {
    const answer = await post('/v1/sources', wide(20));
    const { errors, detail } = answer.json<{ errors: object[]; detail: string }>();
    expect(errors).toHaveLength(20);
    expect(detail).toMatch(/; and 2 more$/);
  });

  test.each([
    [
      '/v1/sources',
      { name: 'a', scheme: 'hookline', allowed_ips: Array(1_001).fill('') },
      '/allowed_ips',
      '1000 items',
    ],
    ['/v1/sources', { name: 'a', scheme: 'hookline', tags_from: wide(6) }, '/tags_from', '5 properties'],
    ['/v1/endpoints', { url: 'https://a.test', headers: wide(5_000) }, '/headers', '50 properties'],
    [
      '/v1/endpoints',
      { url: 'https://a.test', retry: { schedule: Array(9_000).fill('') } },
      '/retry/schedule',
      '100 items',
    ],
  ])('%s is refused for its length before each item is looked at: %#', async (path, body, field, most) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ field, message: `must NOT have more than ${most}` }] });
  });

  test('does not get a name back that is as long as the request', async () => {
    const answer = await post('/v1/sources', { ['x'.repeat(60_000)]: 1 });
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(2_000);
  });

  test('is refused in parameters, too', async () => {
    const query = Array.from({ length: 500 }, (_, index) => `f${index}=1`).join('&');
    const answer = await ask({ path: `/v1/events?${query}`, headers: { authorization } });
    const { errors, detail } = answer.json<{ errors: { field: string }[]; detail: string }>();
    expect([answer.status, errors.length, errors[0]?.field]).toEqual([400, 20, 'f0']);
    expect(detail).toMatch(/; and 480 more$/);
  });
});

test('a schema is followed, and nothing else: what holds any JSON may be of any width', () => {
  const schema = {
    additionalProperties: false,
    properties: { payload: {}, list: { maxItems: 2, items: { additionalProperties: false } } },
  };
  expect(excessOf(schema, { payload: [wide(10_000)] })).toEqual([]);
  expect(excessOf(schema, { list: [wide(15), wide(15)] })).toHaveLength(30);
  expect(excessOf(schema, { list: [1, 2, 3] })).toEqual([
    { field: '/list', message: 'must NOT have more than 2 items' },
  ]);
});
