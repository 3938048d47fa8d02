/** Types from an OpenAPI document's webhooks, or from JSON Schemas; and back. */
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { EventType } from '#lib/api-contract';
import { authorization } from '../../unit/api/build-test-app.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

/** All of GitHub’s types take minutes: docs/evidence.md has the last result. */
const isWhole = process.env['HOOKLINE_TEST_GITHUB_TYPES'] === 'all';
if (isWhole) jest.setTimeout(3_600_000);

let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

interface Report {
  dry_run: boolean;
  created: string[];
  changed: { name: string; fields: string[]; version: number | null; compatibility: string | null }[];
  unchanged: string[];
  refused: { name: string; reason: string }[];
  left_out: { name: string; part: string; reason: string }[];
}

const importInto = async (tenant: string, document: unknown, more: object = {}) => {
  const body = { document, ...more };
  // Five megabytes, and schemas of sixty kilobytes to compile.
  const timeoutMs = isWhole ? 1_200_000 : 200_000;
  const answer = await api.ask({ method: 'POST', path: '/v1/event-types/import', body, tenant, timeoutMs });
  return { status: answer.status, text: answer.text, report: answer.json<Report>() };
};
const read = async (tenant: string, name: string) =>
  (await api.ask({ path: `/v1/event-types/${name}`, tenant })).json<EventType>();
const exportOf = async (tenant: string, query = '') =>
  (await api.ask({ path: `/v1/event-types/export${query}`, tenant })).json<{ webhooks: object }>();

const withoutReferences = (document: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(document, (key, value: unknown) => (key === '$ref' ? undefined : value))) as Record<
    string,
    unknown
  >;

function referencesOf(document: object): string[] {
  const found: string[] = [];
  JSON.stringify(document, (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') found.push(value);
    return value;
  });
  return found;
}

/** By a JSON pointer (RFC 6901) in a fragment. */
const targetOf = (document: unknown, fragment: string): unknown =>
  fragment
    .slice(2)
    .split('/')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);

/** GitHub's own description of its webhooks. */
const github = () =>
  createRequire(import.meta.url)('@octokit/openapi-webhooks/generated/api.github.com.json') as {
    webhooks: Record<string, object>;
  };

test('webhooks of GitHub’s document are imported, exported and imported again without a change', async () => {
  const document = github();
  expect(Object.keys(document.webhooks).length).toBeGreaterThan(200);
  // The largest are among these.
  const some = Object.entries(document.webhooks).filter(
    ([name], index) =>
      isWhole ||
      index % 90 === 0 ||
      ['push', 'repository-advisory-published', 'pull-request-review-requested'].includes(name),
  );
  const part = { ...document, webhooks: Object.fromEntries(some) };
  const names = some.map(([name]) => name).sort();
  const dry = await importInto('github', part, { dry_run: true });
  expect(dry.report).toMatchObject({ dry_run: true, changed: [], unchanged: [], refused: [] });
  expect(dry.report.created.sort()).toEqual(names);
  expect((await api.ask({ path: '/v1/event-types', tenant: 'github' })).text).toBe('[]');

  const done = await importInto('github', part, { visibility: 'public' });
  expect([done.text.slice(0, 300), done.status]).toEqual([done.text.slice(0, 300), 200]);
  expect(done.report.created.sort()).toEqual(names);
  const push = await read('github', 'push');
  expect(push).toMatchObject({ visibility: 'public', version: 1 });
  expect(push.words).toBeGreaterThan(100);
  expect(JSON.stringify(push.newest?.schema)).not.toContain('#/components');

  const again = await importInto('github', part);
  expect(again.report).toMatchObject({ created: [], changed: [], refused: [] });
  const exported = await exportOf('github');
  // The validator finds no target below a schema that is a reference itself: the form is its part, the references are ours.
  expect(await new Validator().validate(withoutReferences(exported))).toEqual({ valid: true });
  expect(referencesOf(exported).filter((pointer) => targetOf(exported, pointer) === undefined)).toEqual([]);
  expect(referencesOf(exported).length).toBeGreaterThan(10);
  const back = await importInto('github', exported);
  expect(back.report).toMatchObject({ created: [], changed: [], refused: [] });
  expect(back.report.unchanged.sort()).toEqual(names);
  const elsewhere = await importInto('github-copy', exported);
  expect(elsewhere.report.created.sort()).toEqual(names);
  expect(await exportOf('github-copy')).toEqual(exported);
});

test('all that is said of a type comes back from an export', async () => {
  const tenant = 'whole';
  const post = (path: string, body: object) =>
    api.ask({ method: 'POST', path: `/v1/event-types${path}`, body, tenant });
  await post('', { name: 'next' });
  const schema = {
    type: 'object',
    properties: { self: { $ref: '#' }, line: { $ref: '#/$defs/line' }, example: { type: 'string' } },
    $defs: { line: { type: 'object', properties: { next: { $ref: '#/$defs/line' } } } },
  };
  const created = await post('', {
    name: 'a.b:c_d-e',
    description: 'Goes to [[next]].',
    notes: 'n',
    category: 'c',
    visibility: 'portal',
    enforce: 'tag',
    deprecation: { reason: 'r', successor: 'next' },
    schema,
    example: { line: {} },
    version_notes: 'v',
  });
  expect([created.text, created.status]).toEqual([created.text, 201]);
  const exported = await exportOf(tenant);
  expect((await importInto('whole-copy', exported)).report.created).toHaveLength(2);
  const [one, other] = [await read(tenant, 'a.b:c_d-e'), await read('whole-copy', 'a.b:c_d-e')];
  const times = { id: '', created_at: '', changed_at: '' };
  const said = ({ newest, deprecation, ...type }: EventType) => ({
    ...type,
    ...times,
    newest: { ...newest, published_at: '' },
    deprecation: { ...deprecation, since: '' },
  });
  expect(said(other)).toEqual(said(one));
  expect(other.newest?.schema).toEqual(schema);
});

test('JSON Schemas by name: what is created, changed, published and refused; strictly, all or nothing', async () => {
  const tenant = 'schemas';
  const a = { type: 'object', properties: { id: { type: 'string' } } };
  expect((await importInto(tenant, { a, b: true })).report).toMatchObject({ created: ['a', 'b'], refused: [] });
  const wider = { ...a, properties: { ...a.properties, n: { type: 'integer' } } };
  const changed = await importInto(tenant, { a: wider, b: true }, { category: 'x' });
  expect(changed.report).toMatchObject({
    changed: [
      { name: 'a', fields: ['category'], version: 2, compatibility: 'compatible' },
      { name: 'b', fields: ['category'], version: null },
    ],
  });
  await api.ask({ method: 'POST', path: '/v1/event-types/b/rename', body: { to: 'c' }, tenant });
  const bad = { a, b: true, fresh: true, 'no name ': true, search: true, wrong: { type: 'nothing' } };
  const dry = await importInto(tenant, bad, { dry_run: true });
  expect([dry.status, dry.report.created]).toEqual([200, ['fresh']]);
  expect(dry.report.refused.map(({ name }) => name).sort()).toEqual(['a', 'b', 'no name ', 'search', 'wrong']);
  const refused = await importInto(tenant, bad, { strict: true });
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('5 of the types')]);
  expect((await api.ask({ path: '/v1/event-types/fresh', tenant })).status).toBe(404);
  const none = Object.fromEntries(Object.entries(bad).filter(([name]) => name !== 'fresh'));
  expect([(await importInto(tenant, none)).status, (await importInto(tenant, {})).status]).toEqual([409, 200]);
  const some = await importInto(tenant, bad);
  expect([some.status, some.report]).toEqual([200, { ...dry.report, dry_run: false }]);
  expect((await read(tenant, 'fresh')).version).toBe(1);
  expect((await importInto(tenant, { a }, { breaking: true })).report).toMatchObject({
    changed: [{ name: 'a', version: 3, compatibility: 'breaking' }],
  });
});

test('a mistake leaves out the part that has it, and what links to it; another import brings the rest', async () => {
  const tenant = 'mistakes';
  const posted = (schema: unknown, more: object = {}, said: object = {}) => ({
    post: { ...said, requestBody: { content: { 'application/json': { schema, ...more } } } },
  });
  const text = { type: 'object', properties: { text: { type: 'string' } } };
  const document = {
    openapi: '3.0.3',
    'x-webhooks': {
      '/orders/create': posted(text, { example: { text: 7 } }),
      'Push Hook': posted(text, { example: { text: 'x' } }, { tags: ['x'.repeat(500)] }),
      gone: posted({ $ref: '#/components/schemas/Gone' }),
      wrong: posted({ type: 'nothing' }),
      search: posted(text),
      'links.one': posted(text, {}, { description: 'See [[gone]].' }),
      'links.two': posted(text, {}, { description: 'See [[links.one]], and [[1, 2]].' }),
      'of.null': posted(
        { type: 'object', properties: { a: { type: 'string', nullable: true } } },
        { example: { a: null } },
      ),
    },
  };
  const refused = ['gone', 'links.one', 'links.two', 'search', 'wrong'];
  const leftOut = [
    { name: 'Push Hook', part: 'category', reason: expect.stringContaining('/category') as string },
    { name: 'orders/create', part: 'example', reason: '/example/text must be string' },
  ];
  const sorted = ({ created, refused: out, left_out: parts }: Report) => ({
    created: [...created].sort(),
    refused: out.map(({ name }) => name).sort(),
    parts: [...parts].sort((a, b) => (a.name < b.name ? -1 : 1)),
  });
  const created = ['Push Hook', 'of.null', 'orders/create'];
  const dry = await importInto(tenant, document, { dry_run: true });
  expect(sorted(dry.report)).toEqual({ created, refused, parts: leftOut });
  expect((await importInto(tenant, document, { strict: true })).status).toBe(409);
  const done = await importInto(tenant, document);
  expect([done.status, sorted(done.report)]).toEqual([200, { created, refused, parts: leftOut }]);
  expect((await read(tenant, '-?name=orders%2Fcreate')).newest?.schema).toEqual(text);
  const { 'x-webhooks': webhooks } = document;
  const mended = {
    ...document,
    components: { schemas: { Gone: text } },
    'x-webhooks': { ...webhooks, wrong: posted(true) },
  };
  expect((await importInto(tenant, mended)).report.created.sort()).toEqual(['gone', 'links.one', 'links.two', 'wrong']);
});

test('what is no document of types is refused with what it is', async () => {
  for (const document of [{ swagger: '2.0' }, { openapi: '3.1.0', paths: {} }])
    expect((await importInto('none', document)).report).toMatchObject({ errors: [{ field: '/document' }] });
});

test('types with slashes and blanks in their names come back from an export', async () => {
  const names = ['orders/create', 'Push Hook', '/event/Low_Ink__e', '50 % ~ off?#'];
  const schema = {
    type: 'object',
    properties: { self: { $ref: '#' }, line: { $ref: '#/$defs/line' } },
    $defs: { line: true },
  };
  const document = Object.fromEntries(names.map((name) => [name, schema]));
  expect((await importInto('slashes', document)).report.created).toEqual(names);
  const exported = await exportOf('slashes');
  expect(referencesOf(exported).filter((pointer) => targetOf(exported, pointer) === undefined)).toEqual([]);
  expect((await importInto('slashes', exported, { strict: true })).report).toMatchObject({
    refused: [],
    created: [],
    changed: [],
  });
  expect((await importInto('slashes-copy', exported, { strict: true })).report.created.sort()).toEqual(
    [...names].sort(),
  );
  expect(await exportOf('slashes-copy')).toEqual(exported);
});

test('an import whose client leaves ends, and nothing of it is there; another tenant’s change is not kept waiting', async () => {
  const tenant = 'leaving';
  const document = Object.fromEntries(
    Array.from({ length: 300 }, (_, n) => [`t${n}`, { type: 'object', properties: { [`p${n}`]: { type: 'string' } } }]),
  );
  const url = await api.url();
  const leaving = new AbortController();
  const sent = fetch(`${url}/v1/event-types/import`, {
    method: 'POST',
    headers: {
      authorization,
      'hookline-tenant': tenant,
      'content-type': 'application/json',
      'idempotency-key': 'of-an-import',
    },
    body: JSON.stringify({ document }),
    signal: leaving.signal,
  });
  setTimeout(() => leaving.abort(), 500);
  await expect(sent).rejects.toThrow();
  const other = await importInto('staying', { a: true });
  expect(other.report.created).toEqual(['a']);
  await waitUntil(
    'no transaction is open',
    async () =>
      (
        await api.postgres.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
        )
      ).length === 0,
  );
  expect((await api.ask({ path: '/v1/event-types', tenant })).text).toBe('[]');
});

test('no transaction is open while schemas are prepared, not even that of an idempotency key', async () => {
  const tenant = 'computing';
  const document = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`t${n}`, { type: 'object', properties: { [`p${n}`]: { type: 'string' } } }]),
  );
  let isOver = false;
  const post = api.ask({
    method: 'POST',
    path: '/v1/event-types/import',
    body: { document },
    tenant,
    headers: { 'idempotency-key': 'of-a-long-import' },
  });
  void post.finally(() => (isOver = true));
  const looks: boolean[] = [];
  while (!isOver) {
    const open = await api.postgres.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`,
    );
    looks.push(open.length > 0);
    await sleep(10);
  }
  // Kept meanwhile, it would be open at nearly every look, on a fast machine and on a slow one.
  expect(looks.length).toBeGreaterThan(10);
  expect(looks.filter(Boolean).length / looks.length).toBeLessThan(0.5);
  const answer = await post;
  expect([answer.text.slice(0, 300), answer.status]).toEqual([answer.text.slice(0, 300), 200]);
  const again = await api.ask({
    method: 'POST',
    path: '/v1/event-types/import',
    body: { document },
    tenant,
    headers: { 'idempotency-key': 'of-a-long-import' },
  });
  expect(again.text).toBe(answer.text);
});
