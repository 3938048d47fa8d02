/** Names as providers have them, with slashes, blanks and other characters: from the description of a type to its end. */
import type { EventTypeChange, EventTypeSummary, EventType } from '#lib/api-contract';
import { nextPath, type OpenApi, openApi } from './api-over-database.ts';

let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

let lastTenant = 0;
/** A client of a tenant that has nothing yet. */
function newTenant() {
  const tenant = `names${(lastTenant += 1)}`;
  const send = (method: string, path: string, body?: object) =>
    api.ask({ method, path: `/v1${path}`, tenant, ...(body && { body }) });
  const ask = (method: string, path: string, body?: object) => send(method, `/event-types${path}`, body);
  const done = async (method: string, path: string, body?: object): Promise<EventType> => {
    const answer = await ask(method, path, body);
    expect([method, path, answer.text, answer.status < 300]).toEqual([method, path, answer.text, true]);
    return answer.json<EventType>();
  };
  return { send, ask, done, create: (name: string, body: object = {}) => done('POST', '', { name, ...body }) };
}

const schemaOf = (properties: Record<string, object>, required: string[] = []) => ({
  type: 'object',
  required,
  properties,
});

/** The name in the path, and in the query for proxies that decode `%2F`. */
const forms = {
  path: (name: string, below = '') => `/${encodeURIComponent(name)}${below}`,
  query: (name: string, below = '') => `/-${below}?name=${encodeURIComponent(name)}`,
};

describe.each(['orders/create', 'Push Hook', `50% "off" & <b>'?#\\`, '/event/Low_Ink__e'])(
  'a type called %s',
  (name) => {
    test.each(Object.entries(forms))('is described, changed, renamed and retired by its %s', async (_form, at) => {
      const { ask, done, create } = newTenant();
      const schema = schemaOf({ id: {} });
      const created = await ask('POST', '', { name, schema, description: `See [[${name}]]` });
      expect([created.text, created.status]).toEqual([created.text, 201]);
      const place = created.headers.location ?? '';
      expect((await ask('GET', place.replace('/v1/event-types', ''))).json()).toMatchObject({ name, version: 1 });
      const shown = await done('GET', at(name));
      expect(shown).toMatchObject({ name, links: { [name]: { target: name } } });
      expect(await done('PATCH', at(name), { notes: 'n' })).toMatchObject({ name, notes: 'n' });
      expect(await done('POST', at(name, '/pause'), {})).toMatchObject({ status: 'paused' });
      expect(await done('POST', at(name, '/resume'))).toMatchObject({ status: 'active' });
      await done('POST', at(name, '/versions'), { schema: schemaOf({ id: {}, more: {} }) });
      expect(await done('GET', at(name, '/versions/2'))).toMatchObject({ version: 2 });
      const first = await ask('GET', `${at(name, '/versions')}${at === forms.query ? '&' : '?'}limit=1`);
      const next = nextPath(first.headers.link)?.replace('/v1/event-types', '') ?? '';
      expect((await ask('GET', next)).json()).toMatchObject([{ version: 1 }]);
      expect((await ask('GET', '?limit=1')).json<EventTypeSummary[]>().map((type) => type.name)).toEqual([name]);

      const to = `${name}d`;
      expect((await ask('POST', at(name, '/rename'), { to })).json()).toMatchObject({ name: to });
      const former = await ask('GET', at(name, '/versions/1'));
      expect([former.status, former.json()]).toMatchObject([301, { name, target: to }]);
      const lead = (former.headers.location ?? '').replace('/v1/event-types', '');
      expect(await done('GET', lead)).toMatchObject({ version: 1 });
      expect(await done('PUT', at(to), { description: 'as put' })).toMatchObject({ name: to, description: 'as put' });

      const other = `${name} other`;
      await create(other);
      expect((await ask('POST', at(other, '/merge'), { into: to })).json()).toMatchObject({ name: to });
      expect((await ask('DELETE', at(to))).status).toBe(204);
      for (const gone of [name, to, other]) expect((await ask('GET', at(gone))).status).toBe(410);
      expect((await ask('GET', '/changes')).json<EventTypeChange[]>()[0]).toMatchObject({
        change: 'retired',
        name: to,
      });
    });

    test('is subscribed to, published, found and counted, and enforced', async () => {
      const { send, create } = newTenant();
      await create(name, { schema: schemaOf({ id: { type: 'string' } }, ['id']), enforce: 'reject' });
      const endpoint = { url: 'https://a.example/', event_types: [name] };
      expect((await send('POST', '/endpoints', endpoint)).json()).toMatchObject({ event_types: [name] });
      expect((await send('POST', '/events', { type: name, payload: {} })).status).toBe(400);
      const published = await send('POST', '/events', { type: name, payload: { id: '1' } });
      const { id } = published.json<{ id: string }>();
      expect([published.status, (await send('GET', `/events/${id}`)).json()]).toMatchObject([202, { type: name }]);
      const found = await send('GET', `/events?type=${encodeURIComponent(name)}`);
      expect(found.json()).toMatchObject([{ id }]);
      const stats = await send('GET', '/stats?by=type');
      expect([stats.status, stats.text]).toEqual([200, expect.stringContaining(JSON.stringify(name))]);
    });
  },
);

test('`-` stands for the name in the query, and for nothing else', async () => {
  const { ask, create } = newTenant();
  await create('a');
  for (const [method, path] of [
    ['GET', '/-'],
    ['GET', '/-/versions'],
    ['DELETE', '/-'],
    ['GET', '/a?name=b'],
    ['GET', '/-?name=a&name=b'],
  ] as const)
    expect([path, (await ask(method, path)).json()]).toMatchObject([
      path,
      { status: 400, errors: [{ field: 'name' }] },
    ]);
  expect((await ask('GET', '/-?name=b')).status).toBe(404);
  expect((await ask('GET', '/-?name=a')).status).toBe(200);
  for (const name of ['-', '.', '..', 'a/../b', ' a', 'a*', 'a\u202eb', 'x'.repeat(256)])
    expect([name, (await ask('POST', '', { name })).json()]).toMatchObject([
      name,
      { errors: expect.arrayContaining([expect.objectContaining({ field: '/name' })]) as unknown },
    ]);
});
