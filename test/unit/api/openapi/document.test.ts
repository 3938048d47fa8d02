import { Validator } from '@seriousme/openapi-schema-validator';
import { fastify } from 'fastify';
import { operationIds } from '#lib/api-contract';
import { problemCodes } from '#lib/problem';
import { buildDocument, type OpenApiDocument } from '../../../../services/api/openapi/build-document.ts';
import { documentRoutes } from '../../../../services/api/openapi/document-routes.ts';
import { closeApps } from '../ask.ts';
import { buildTestApp, testRoutes } from '../build-test-app.ts';

afterEach(closeApps);

const documentationRoutes = documentRoutes(testRoutes(), { apiUrl: '' });
const build = (): OpenApiDocument => buildDocument([...testRoutes(), ...documentationRoutes], { apiUrl: '' });

const operations = (document: OpenApiDocument) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

describe('the document', () => {
  const document = build();

  test('has every route, and no other', () => {
    const routes = [...testRoutes(), ...documentationRoutes].map(
      ({ method, url }) => `${String(method).toLowerCase()} ${url.replace(/:(\w+)/g, '{$1}')}`,
    );
    expect(
      operations(document)
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual(routes.sort());
  });

  test('is not made without the documentation of a route', () => {
    const [first, ...others] = testRoutes().map((route) => ({ ...route, config: { ...route.config } }));
    delete first?.config.operation;
    const routes = first === undefined ? [] : [first, ...others];
    expect(() => buildDocument(routes, { apiUrl: '' })).toThrow('lacks POST /v1/sources');
  });

  test('is OpenAPI 3.1 to an outside validator, which refuses it where a part is broken', async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...structuredClone(document) })).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
    const broken = { ...structuredClone(document), info: {} };
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  });

  test('leads to what it refers to', () => {
    const found = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? ''),
    );
    expect(found.size).toBeGreaterThan(30);
    for (const path of found) {
      const target = path.split('/').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document);
      expect([path, typeof target]).toEqual([path, 'object']);
    }
  });

  test('names every operation once, with a summary, answers, and the path’s own parameters', () => {
    const all = operations(document);
    expect(new Set(all.map(({ operation }) => operation.operationId)).size).toBe(all.length);
    for (const { path, operation } of all) {
      expect(operation.summary).not.toBe('');
      expect(Object.keys(operation.responses).some((status) => Number(status) < 300)).toBe(true);
      const named = operation.parameters.flatMap((given) =>
        'in' in given && given.in === 'path' && 'name' in given ? [given.name] : [],
      );
      expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    }
  });

  test('says which scope a key needs, and what needs no key', () => {
    const scopeOf = (path: string, method: string) => document.paths[path]?.[method]?.security;
    expect(scopeOf('/v1/events', 'get')).toEqual([{ key: ['read'] }]);
    expect(scopeOf('/v1/events', 'post')).toEqual([{ key: ['publish'] }]);
    expect(scopeOf('/v1/sources', 'post')).toEqual([{ key: ['write'] }]);
    expect(scopeOf('/v1/api-keys', 'get')).toEqual([{ key: ['admin'] }]);
    for (const path of ['/openapi.json', '/v1/openapi.json']) expect(scopeOf(path, 'get')).toEqual([]);
  });

  test('has only codes of errors that there are, each under its status', () => {
    for (const { operation } of operations(document))
      for (const [status, response] of Object.entries(operation.responses)) {
        const codes = [...JSON.stringify(response).matchAll(/"enum":\[([^\]]+)\]/g)].flatMap(([, list]) =>
          Number(status) >= 400 ? (JSON.parse(`[${list}]`) as (keyof typeof problemCodes)[]) : [],
        );
        for (const code of codes) expect([code, problemCodes[code].status]).toEqual([code, Number(status)]);
      }
  });

  test('has an example for every body that is required, and each is what its route takes', async () => {
    const required = operations(document).filter(({ operation }) => operation.requestBody?.required === true);
    expect(required.length).toBeGreaterThan(5);
    const problems = new Map<string, unknown>();
    const app = fastify({ ajv: { customOptions: { strict: false, coerceTypes: false, removeAdditional: false } } });
    app.get('/', async (request) => {
      for (const { config, schema } of testRoutes()) {
        const operation = config?.operation;
        const example = operation?.example;
        const id = (operation && operationIds.get(operation)) ?? '';
        const validate = request.compileValidationSchema((schema as { body?: object } | undefined)?.body ?? {});
        if (example !== undefined) problems.set(id, validate(example) === true ? undefined : validate.errors);
      }
      return {};
    });
    await app.inject('/');
    await app.close();
    expect(required.filter(({ operation }) => !problems.has(operation.operationId))).toEqual([]);
    expect([...problems].filter(([, problem]) => problem !== undefined)).toEqual([]);
  });

  test('says that a limit is a number', () => {
    const limits = operations(document).flatMap(({ operation }) =>
      operation.parameters.filter((given) => (given as { name?: string }).name === 'limit'),
    );
    expect(limits.length).toBeGreaterThan(10);
    for (const limit of limits) expect(limit).toMatchObject({ schema: { type: 'integer' } });
  });

  test('of a patch says that any field may be null, and that none is needed', () => {
    const { schemas = {} } = document.components;
    expect(schemas['UpdateSourceRequest']).not.toHaveProperty('required');
    expect(schemas['UpdateSourceRequest']).toMatchObject({ properties: { name: { type: ['string', 'null'] } } });
    expect(schemas['UpdateSourceRequest']).not.toHaveProperty('properties.scheme');
    expect(schemas['CreateSourceRequest']).toMatchObject({ required: ['name', 'scheme'] });
  });
});

describe('the API', () => {
  test('gives its document to anyone, whose copy may stand for it', async () => {
    const { ask } = buildTestApp();
    const answer = await ask({ path: '/openapi.json' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
    });
    expect(answer.json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://api.test' }] });
    expect((await ask({ path: '/v1/openapi.json' })).text).toBe(answer.text);
    const again = await ask({ path: '/openapi.json', headers: { 'if-none-match': answer.headers.etag ?? '' } });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await ask({ method: 'HEAD', path: '/openapi.json' })).status).toBe(200);
    const refused = await ask({ method: 'POST', path: '/openapi.json' });
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  test('shows it as a page that has every operation, and loads and runs nothing', async () => {
    const { ask } = buildTestApp();
    const { status, headers, text } = await ask({ path: '/docs' });
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).not.toMatch(/<(?:script|link|img|iframe)|\bsrc=|@import|url\(/i);
    for (const [, target] of text.matchAll(/href="([^"]*)"/g))
      if (target?.startsWith('#')) expect([target, text.includes(`id="${target.slice(1)}"`)]).toEqual([target, true]);
      else expect(target).toBe('openapi.json');
    for (const { operation } of operations(build())) expect(text).toContain(`<section id="${operation.operationId}">`);
    // Its commands run as they stand.
    expect(text).toContain('Authorization: Bearer $HOOKLINE_ADMIN_KEY');
    expect(text).toContain(
      '-d &#39;{&quot;name&quot;:&quot;Shop&quot;,&quot;scheme&quot;:&quot;standard-webhooks&quot;}&#39;',
    );
    for (const [, command = ''] of text.matchAll(/<pre>([^]*?)<\/pre>/g)) expect(command).not.toMatch(/…|\{id\}/);
  });
});
