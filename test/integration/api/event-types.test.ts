/** Event types over the API: names and their redirects, versions, texts, lists, limits. */
import fc from 'fast-check';
import type { EventTypeChange, EventTypeSummary, EventType } from '#lib/api-contract';
import { createTenantLimits, type LimitName } from '#lib/tenancy';
import { eventFact } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { nextPath, type OpenApi, openApi } from './api-over-database.ts';

const byTenant = new Map<string, Partial<Record<LimitName, number>>>([
  ['few', { event_types: 2 }],
  ['small', { event_type_bytes: 2_000 }],
]);

let api: OpenApi;
beforeAll(async () => {
  api = await openApi({ limits: createTenantLimits({ forAll: {}, byTenant }) });
});
afterAll(() => api.close());

let lastTenant = 0;
/** A client of a tenant that has nothing yet. */
function newTenant(tenant = `types${(lastTenant += 1)}`) {
  const ask = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    api.ask({ method, path: `/v1/event-types${path}`, tenant, headers, ...(body && { body }) });
  const done = async (method: string, path: string, body?: object): Promise<EventType> => {
    const answer = await ask(method, path, body);
    expect([method, path, answer.text, answer.status < 300]).toEqual([method, path, answer.text, true]);
    return answer.text === '' ? ({} as EventType) : answer.json<EventType>();
  };
  return {
    tenant,
    ask,
    done,
    create: (name: string, body: object = {}) => done('POST', '', { name, ...body }),
    rename: (name: string, to: string) => ask('POST', `/${name}/rename`, { to }),
    merge: (name: string, into: string, reason?: string) => ask('POST', `/${name}/merge`, { into, reason }),
    /** Its status, and where it leads. */
    async lookUp(name: string, below = '') {
      const { status, headers } = await ask('GET', `/${name}${below}`);
      return headers.location === undefined ? status : [status, headers.location.replace('/v1/event-types/', '')];
    },
    async list(query = '') {
      return (await ask('GET', query)).json<EventTypeSummary[]>();
    },
  };
}

const schemaOf = (properties: Record<string, object>, required: string[] = []) => ({
  type: 'object',
  required,
  properties,
});

test('a type is created, shown, changed, and answers by its ETag', async () => {
  const { ask, create, done } = newTenant();
  const created = await create('invoice.paid', {
    description: 'An invoice was paid in full.',
    visibility: 'public',
    category: 'billing',
    schema: schemaOf({ id: { type: 'string', description: 'Its id.' } }, ['id']),
    version_notes: 'The first one.',
  });
  expect(created).toMatchObject({
    name: 'invoice.paid',
    status: 'active',
    visibility: 'public',
    category: 'billing',
    groups: ['invoice'],
    words: 11,
    enforce: 'off',
    paused: null,
    deprecation: null,
    aliases: [],
    version: 1,
    retired_at: null,
    newest: {
      version: 1,
      example: null,
      example_generated: false,
      notes: 'The first one.',
      compatibility: 'initial',
      differences: [],
      fields_truncated: false,
      fields: [{ path: 'id', type: 'string', required: true, description: 'Its id.' }],
    },
  });
  const read = await ask('GET', '/invoice.paid');
  expect(read.json()).toEqual(created);
  const patch = { notes: 'Sent within a second.', category: null };
  const late = await ask('PATCH', '/invoice.paid', patch, { 'if-match': '"99"' });
  expect(late.status).toBe(412);
  const changed = await ask('PATCH', '/invoice.paid', patch, { 'if-match': read.headers.etag ?? '' });
  expect(changed.json()).toMatchObject({ notes: 'Sent within a second.', category: null, words: 15, version: 1 });
  expect(changed.headers.etag).not.toBe(read.headers.etag);
  const same = await ask('PATCH', '/invoice.paid', patch);
  expect(same.headers.etag).toBe(changed.headers.etag);
  expect(await done('GET', '?q=WITHIN')).toHaveLength(1);
});

test('a renamed type leads to its name in one hop, with what is below it; renaming back turns the alias round', async () => {
  const { create, rename, lookUp, done, list } = newTenant();
  const { id } = await create('a', { schema: true });
  await rename('a', 'b');
  await rename('b', 'c');
  expect([await lookUp('a'), await lookUp('b'), await lookUp('c')]).toEqual([[301, 'c'], [301, 'c'], 200]);
  expect(await lookUp('a', '/versions/1')).toEqual([301, 'c/versions/1']);
  expect(await lookUp('b', '/versions')).toEqual([301, 'c/versions']);
  expect(await done('GET', '/c')).toMatchObject({
    id,
    aliases: [
      { name: 'a', kind: 'renamed' },
      { name: 'b', kind: 'renamed' },
    ],
  });
  expect((await rename('c', 'a')).status).toBe(200);
  expect([await lookUp('a'), await lookUp('b'), await lookUp('c')]).toEqual([200, [301, 'a'], [301, 'a']]);
  expect((await list()).map(({ name }) => name)).toEqual(['a']);
});

test('a name is never given again: not of a type, an alias, or what is retired', async () => {
  const { create, rename, ask, lookUp, list } = newTenant();
  await create('a');
  await create('b');
  await rename('a', 'c');
  for (const name of ['a', 'b', 'c']) {
    expect((await ask('POST', '', { name })).status).toBe(409);
    if (name !== 'b') expect((await rename('b', name)).status).toBe(409);
  }
  expect((await ask('PUT', '/a', {})).status).toBe(409);
  expect((await ask('DELETE', '/c')).status).toBe(204);
  expect([await lookUp('a'), await lookUp('c'), await lookUp('c', '/versions')]).toEqual([410, 410, 410]);
  for (const name of ['a', 'c']) {
    expect((await ask('POST', '', { name })).status).toBe(409);
    expect((await ask('PUT', `/${name}`, {})).status).toBe(410);
    expect((await rename('b', name)).status).toBe(409);
    expect((await ask('DELETE', `/${name}`)).status).toBe(410);
  }
  expect((await list('?status=retired')).map(({ name, status }) => [name, status])).toEqual([['c', 'retired']]);
  for (const word of ['changes', 'import', 'search'])
    expect((await ask('POST', '', { name: word })).json()).toMatchObject({ errors: [{ field: '/name' }] });
});

test('a merged type leads to the other with all its names; without a field of it a reason is needed', async () => {
  const { create, rename, merge, lookUp, ask, done } = newTenant();
  await create('a', { schema: schemaOf({ id: {}, total: { type: 'object', properties: { tax: {} } } }) });
  await create('x', { schema: schemaOf({ id: {}, more: {} }) });
  await rename('a', 'b');
  const refused = await merge('b', 'x');
  expect([refused.status, refused.json<{ detail: string }>().detail]).toEqual([
    409,
    'x lacks fields of b: total. Merge with a reason',
  ]);
  expect((await merge('b', 'x', 'nobody reads it')).json()).toMatchObject({ name: 'x' });
  await rename('x', 'y');
  expect(await Promise.all(['a', 'b', 'x', 'y'].map((name) => lookUp(name)))).toEqual([
    ...[
      [301, 'y'],
      [301, 'y'],
      [301, 'y'],
    ],
    200,
  ]);
  expect((await done('GET', '/y')).aliases.map(({ name, kind }) => [name, kind])).toEqual([
    ['a', 'renamed'],
    ['b', 'merged'],
    ['x', 'renamed'],
  ]);
  await ask('DELETE', '/y');
  expect(await Promise.all(['a', 'b', 'x', 'y'].map((name) => lookUp(name)))).toEqual([410, 410, 410, 410]);
});

test('a version that breaks receivers must say so; one that is the same is none', async () => {
  const { create, ask, done } = newTenant();
  const id = { type: 'string' };
  await create('t', { schema: schemaOf({ id, n: { type: 'integer' } }, ['id']) });
  const wider = schemaOf({ id, n: { type: 'integer' }, note: { type: 'string' } }, ['id']);
  expect(await done('POST', '/t/versions', { schema: wider, notes: 'A note.' })).toMatchObject({
    newest: {
      version: 2,
      compatibility: 'compatible',
      differences: [{ field: 'note', change: 'added', breaking: false }],
    },
  });
  expect(await done('POST', '/t/versions', { schema: wider })).toMatchObject({ version: 2 });
  const without = schemaOf({ id }, ['id']);
  const refused = await ask('POST', '/t/versions', { schema: without });
  expect([refused.status, refused.json<{ detail: string }>().detail]).toEqual([
    409,
    'The schema breaks receivers: n removed, note removed. Publish it with breaking: true',
  ]);
  expect(await done('POST', '/t/versions', { schema: without, breaking: true })).toMatchObject({
    newest: { version: 3, compatibility: 'breaking' },
  });
  const versions = await ask('GET', '/t/versions?limit=2');
  expect(versions.json<{ version: number }[]>().map(({ version }) => version)).toEqual([3, 2]);
  expect(nextPath(versions.headers.link)).toBe('/v1/event-types/t/versions?limit=2&cursor=2');
  expect(await done('GET', '/t/versions?cursor=2')).toMatchObject([{ version: 1 }]);
  expect((await ask('GET', '/t/versions/2')).json()).toMatchObject({ notes: 'A note.', schema: wider });
  for (const none of ['4', '0', '01', '1.0', 'x', '99999999999'])
    expect([none, (await ask('GET', `/t/versions/${none}`)).status]).toEqual([none, 404]);
});

test('PUT makes a type what its file says, once', async () => {
  const { ask } = newTenant();
  const body = { description: 'As in the file.', schema: schemaOf({ id: {} }), example: { id: 1 } };
  const first = await ask('PUT', '/t', body);
  expect([first.status, first.headers.location]).toEqual([201, '/v1/event-types/t']);
  const again = await ask('PUT', '/t', body);
  expect([again.status, again.headers.etag]).toEqual([200, first.headers.etag]);
  const next = await ask('PUT', '/t', { schema: schemaOf({ id: {}, more: {} }), example: { id: 1 } });
  expect(next.json()).toMatchObject({ description: '', version: 2 });
  expect((await ask('PUT', '/t2', {}, { 'if-match': '"1"' })).status).toBe(412);
  expect((await ask('PUT', '/%20t', {})).json()).toMatchObject({ status: 400, errors: [{ field: 'name' }] });
});

test('a pause and a deprecation are shown, leave the texts as they are, and end', async () => {
  const { create, done, ask, list } = newTenant();
  const texts = { description: 'Words of the type.', notes: 'Known issues: none.' };
  await create('t', texts);
  await create('next');
  const paused = await done('POST', '/t/pause', { reason: 'moving', until: '2200-01-01T00:00:00Z' });
  expect(paused).toMatchObject({
    ...texts,
    status: 'paused',
    paused: { reason: 'moving', until: '2200-01-01T00:00:00.000000Z' },
  });
  expect((await list('?status=paused')).map(({ name }) => name)).toEqual(['t']);
  expect(await done('POST', '/t/resume')).toMatchObject({ ...texts, status: 'active', paused: null });
  expect((await ask('POST', '/t/pause', { until: '2001-01-01T00:00:00Z' })).status).toBe(400);

  const deprecation = { reason: 'replaced', sunset_at: '2200-01-01T00:00:00Z', successor: 'next' };
  expect(await done('PATCH', '/t', { deprecation })).toMatchObject({
    status: 'deprecated',
    deprecation: { successor: 'next' },
  });
  await ask('POST', '/next/rename', { to: 'newer' });
  expect(await done('GET', '/t')).toMatchObject({ deprecation: { successor: 'newer' } });
  await ask('DELETE', '/newer');
  expect(await done('GET', '/t')).toMatchObject({ deprecation: { successor: null } });
  expect(await done('PATCH', '/t', { deprecation: null })).toMatchObject({ status: 'active', deprecation: null });
  for (const successor of ['t', 'never', 'newer'])
    expect((await ask('PATCH', '/t', { deprecation: { successor } })).json()).toMatchObject({
      errors: [{ field: '/deprecation/successor' }],
    });
});

test('a link leads to the current name, is text when its type is retired, and must be to a type', async () => {
  const { create, rename, done, ask } = newTenant();
  await create('other', { visibility: 'portal' });
  await create('t', { description: 'Comes after [[other]] and before [[t]].' });
  await rename('other', 'newer');
  const other = { status: 'active', visibility: 'portal' };
  expect((await done('GET', '/t')).links).toMatchObject({ other: { target: 'newer', ...other }, t: { target: 't' } });
  await ask('DELETE', '/newer');
  expect((await done('GET', '/t')).links).toMatchObject({ other: { target: null, status: 'retired' } });
  expect((await ask('PATCH', '/t', { notes: 'See [[nothing]].' })).json()).toMatchObject({
    errors: [{ field: '/notes', message: 'links to nothing, which is not an event type' }],
  });
});

test('types are listed by name, filtered, and paged', async () => {
  const { create, list, ask } = newTenant();
  await create('b.one', { visibility: 'public', category: 'x' });
  await create('a.b.c', { visibility: 'portal' });
  await create('a.b', { visibility: 'internal' });
  await create('B', { visibility: 'public' });
  const names = async (query: string) => (await list(query)).map(({ name }) => name);
  expect(await names('')).toEqual(['B', 'a.b', 'a.b.c', 'b.one']);
  expect(await names('?visibility=public')).toEqual(['B', 'b.one']);
  expect(await names('?visibility=portal')).toEqual(['B', 'a.b.c', 'b.one']);
  expect(await names('?group=a.b')).toEqual(['a.b.c']);
  expect(await names('?group=a')).toEqual(['a.b', 'a.b.c']);
  expect(await names('?category=x')).toEqual(['b.one']);
  expect(await names('?q=ONE')).toEqual(['b.one']);
  const pages = await ask('GET', '?limit=2');
  expect(nextPath(pages.headers.link)).toBe('/v1/event-types?limit=2&cursor=a.b');
  expect(await names('?limit=2&cursor=a.b')).toEqual(['a.b.c', 'b.one']);
});

test('changes are told newest first, and none of internal types to the public', async () => {
  const { create, rename, merge, done, ask } = newTenant();
  await create('open', { visibility: 'public', schema: true, version_notes: 'Anything.' });
  await create('secret', { schema: true });
  await rename('open', 'opened');
  await merge('secret', 'opened');
  await done('POST', '/opened/pause', { reason: 'a while' });
  const all = (await ask('GET', '/changes')).json<EventTypeChange[]>();
  expect(all.map(({ change, name, target }) => [change, name, target])).toEqual([
    ['paused', 'opened', 'opened'],
    ['merged', 'secret', 'opened'],
    ['renamed', 'opened', 'opened'],
    ['version', 'secret', 'opened'],
    ['created', 'secret', 'opened'],
    ['version', 'open', 'opened'],
    ['created', 'open', 'opened'],
  ]);
  expect(all[2]).toMatchObject({ from: 'open' });
  const open = await ask('GET', '/changes?visibility=public&limit=2');
  expect(open.json<EventTypeChange[]>().map(({ change }) => change)).toEqual(['paused', 'renamed']);
  const next = await api.ask({ path: nextPath(open.headers.link) ?? '', tenant: `types${lastTenant}` });
  expect(next.json<EventTypeChange[]>().map(({ change, notes }) => [change, notes])).toEqual([
    ['version', 'Anything.'],
    ['created', null],
  ]);
  expect(open.text + next.text).not.toContain('secret');
});

test('a schema must be small, whole, and of the dialect', async () => {
  const { ask } = newTenant();
  const errors = async (schema: unknown) =>
    (await ask('POST', '', { name: 't', schema }))
      .json<{ errors: { field: string }[] }>()
      .errors.map(({ field }) => field);
  expect(await errors({ properties: { a: { $ref: 'https://example.com/a.json' } } })).toEqual([
    '/schema/properties/a/$ref',
  ]);
  expect(await errors({ $schema: 'http://json-schema.org/draft-07/schema#' })).toEqual(['/schema/$schema']);
  expect(await errors({ description: 'x'.repeat(64 * 1024) })).toEqual(['/schema']);
  expect(await errors('text')).toEqual(['/schema']);
});

test('a tenant has so many types and bytes of them', async () => {
  const few = newTenant('few');
  await few.create('a');
  await few.create('b');
  await few.merge('a', 'b');
  expect((await few.ask('POST', '', { name: 'c' })).json()).toMatchObject({ status: 429, limit: 'event_types' });
  const small = newTenant('small');
  await small.create('a');
  const notes = { notes: 'x'.repeat(1_600) };
  expect((await small.ask('PATCH', '/a', notes)).json()).toMatchObject({ status: 429, limit: 'event_type_bytes' });
});

test('a tenant that has more types than its limit, which was lowered, changes them by an import, and adds none', async () => {
  const lowered = newTenant('lowered');
  await lowered.create('a');
  await lowered.create('b');
  byTenant.set('lowered', { event_types: 1 });
  const imported = await lowered.ask('POST', '/import', { document: { a: { type: 'object' }, c: { type: 'object' } } });
  expect(imported.json()).toMatchObject({
    created: [],
    changed: [{ name: 'a', version: 1 }],
    refused: [{ name: 'c', reason: 'the limit event_types is reached' }],
  });
});

test('two that create the same name at once: one is refused', async () => {
  const { ask } = newTenant();
  const answers = await Promise.all(['a', 'a', 'a', 'a'].map((name) => ask('POST', '', { name })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
});

test('a request repeated with its idempotency key creates once', async () => {
  const { ask } = newTenant();
  const key = { 'idempotency-key': 'k' };
  const [first, second] = [await ask('POST', '', { name: 'a' }, key), await ask('POST', '', { name: 'a' }, key)];
  expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
});

test('whatever is done to types, every name that was given leads in one hop to a type, or is gone for ever', async () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const step = fc.record({
    what: fc.constantFrom('create', 'rename', 'rename', 'merge', 'pause', 'retire'),
    name,
    to: name,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
      const { ask, lookUp, create } = newTenant();
      await create('a');
      await create('b');
      for (const { what, name, to } of steps) {
        if (what === 'create') await ask('POST', '', { name });
        else if (what === 'rename') await ask('POST', `/${name}/rename`, { to });
        else if (what === 'merge') await ask('POST', `/${name}/merge`, { into: to });
        else if (what === 'pause') await ask('POST', `/${name}/pause`);
        else await ask('DELETE', `/${name}`);
      }
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        const answer = await lookUp(name);
        if (typeof answer === 'object') expect(await lookUp(String(answer[1]))).toBe(200);
        else expect([200, 404, 410]).toContain(answer);
      }
    }),
    { numRuns: 15 },
  );
});

test('observed are the types of events that no event type describes, page by page', async () => {
  const { tenant, ask, create, rename } = newTenant();
  const now = Date.now() * 1_000;
  const day = 24 * 3_600 * 1_000_000;
  const seen: [type: string, receivedAt: number][] = [
    ...[1, 2, 3].map((n): [string, number] => ['order.paid', now - n]),
    ['order.paid', now - 2 * day],
    ['Kunde gelöscht/ü?&', now - 3 * day],
    ['invoice.paid', now],
    ['invoice.settled', now],
    ['hookline.test', now],
  ];
  const facts = seen.map(([type, received_at], n) =>
    eventFact({ tenant, eventId: `evt_${tenant}_${n}` }, { type, received_at }),
  );
  await project(api.postgres, facts);
  await project(api.postgres, [
    eventFact({ tenant: `${tenant}x`, eventId: `evt_${tenant}x` }, { type: 'theirs', received_at: now }),
  ]);
  await create('invoice.settled');
  await rename('invoice.settled', 'invoice.closed');

  const dayOf = (at: number): string => new Date(at / 1_000).toISOString().slice(0, 10);
  const [rare, invoice, order] = [
    { type: 'Kunde gelöscht/ü?&', first_day: dayOf(now - 3 * day), last_day: dayOf(now - 3 * day), received_24h: 0 },
    { type: 'invoice.paid', first_day: dayOf(now), last_day: dayOf(now), received_24h: 1 },
    { type: 'order.paid', first_day: dayOf(now - 2 * day), last_day: dayOf(now), received_24h: 3 },
  ];
  const whole = (await ask('GET', '/observed')).json<{ type: string }[]>();
  expect(whole).toHaveLength(3);
  expect(whole).toEqual(expect.arrayContaining([rare, invoice, order]));

  const paged: unknown[] = [];
  for (let path: string | undefined = '/observed?limit=1'; path !== undefined;) {
    const page = await ask('GET', path);
    paged.push(...page.json<unknown[]>());
    path = nextPath(page.headers.link)?.replace('/v1/event-types', '');
  }
  expect(paged).toEqual(whole);

  await create('order.paid');
  expect((await ask('GET', '/observed')).json()).toEqual(whole.filter(({ type }) => type !== 'order.paid'));
  await create('Kunde gelöscht/ü?&');
  expect((await ask('GET', '/observed')).json()).toEqual([invoice]);
});

describe('numbers beyond 2^53', () => {
  const ask = (path: string, method = 'GET', body?: string) =>
    api.ask({ method, path: `/v1/event-types${path}`, tenant: 'numbers', ...(body !== undefined && { body }) });

  test('are refused in a schema, in words', async () => {
    for (const [schema, field] of [
      ['{"properties":{"id":{"maximum":9223372036854775807}}}', '/schema/properties/id/maximum'],
      ['{"properties":{"default":{"minimum":-9007199254740993}}}', '/schema/properties/default/minimum'],
      ['{"enum":[1,9007199254740993]}', '/schema/enum/1'],
      ['{"multipleOf":1.0000000000000000001}', '/schema/multipleOf'],
    ] as const) {
      const answer = await ask('', 'POST', `{"name":"refused","schema":${schema}}`);
      const message = expect.stringContaining('exact up to 2^53') as string;
      expect(answer.json()).toMatchObject({ status: 400, errors: [{ field, message }] });
    }
  });

  test('stay what they are in an example', async () => {
    const schema = '{"properties":{"id":{"type":"integer","default":9007199254740993}}}';
    const made = await ask('', 'POST', `{"name":"kept","schema":${schema},"example":{"id":8202522731445525542}}`);
    expect(made.status).toBe(201);
    const shown = (await ask('/kept')).text;
    expect(shown).toContain('{"id":8202522731445525542}');
    expect(shown).toContain('"default":9007199254740993');
  });

  test('of an imported document are refused, too', async () => {
    const document = '{"imported":{"properties":{"id":{"maximum":9223372036854775807}}}}';
    const answer = await ask('/import', 'POST', `{"document":${document},"dry_run":true}`);
    expect(answer.text).toContain('exact up to 2^53');
  });
});
