/** Events that are published against the schema of their type: taken, taken with a tag, or refused; and never lost. */
import type { SchemaChecks } from '#lib/schema-checks';
import { type OpenApi, openApi } from './api-over-database.ts';

let api: OpenApi;
/** Its thread never comes to a verdict. */
let unjudging: OpenApi;
const never: SchemaChecks = { check: async () => ({ kind: 'unjudged', reason: 'too_slow' }) };
beforeAll(async () => {
  api = await openApi();
  unjudging = await openApi({ schemaChecks: never });
});
afterAll(async () => {
  await api.close();
  await unjudging.close();
});

const schema = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, n: { type: 'integer' } } };

/** A tenant with the type `t`, called `former` once. Each test has its own: what is enforced is remembered for seconds. */
async function withType(tenant: string, enforce: string) {
  const post = (path: string, body: object) => api.ask({ method: 'POST', path, body, tenant });
  const created = await post('/v1/event-types', { name: 'former', enforce, schema, example: { id: '1' } });
  expect([created.text, created.status]).toEqual([created.text, 201]);
  await post('/v1/event-types/former/rename', { to: 't' });
  const publish = (payload: unknown, more: object = {}) => post('/v1/events', { type: 't', payload, ...more });
  const tagsOf = async (answer: Awaited<ReturnType<typeof publish>>) => {
    expect([answer.text, answer.status]).toEqual([answer.text, 202]);
    const { id } = answer.json<{ id: string }>();
    return (await api.ask({ path: `/v1/events/${id}`, tenant })).json<{ tags?: object }>().tags;
  };
  return { publish, tagsOf, post };
}

test('reject: an event that does not match is refused with the place, and is not there', async () => {
  const { publish, tagsOf } = await withType('rejecting', 'reject');
  const good = await tagsOf(await publish({ id: '1', n: 1 }));
  expect(good ?? {}).toEqual({});
  expect((await publish({ id: '1', n: 'x' })).json()).toMatchObject({
    ...{ status: 400, code: 'validation_failed' },
    errors: [{ field: '/payload/n', message: 'must be integer' }],
  });
  expect((await publish({})).json()).toMatchObject({ errors: [{ field: '/payload/id', message: 'is missing' }] });
  expect((await publish(null)).json()).toMatchObject({ errors: [{ field: '/payload' }] });
  // Under a former name too; another type is nobody's business.
  expect((await publish({}, { type: 'former' })).status).toBe(400);
  expect((await publish({}, { type: 'other' })).status).toBe(202);
  const events = await api.postgres.query("SELECT FROM events WHERE tenant = 'rejecting'");
  expect(events).toHaveLength(2);
});

test('tag: an event that does not match is taken, and found by its tag', async () => {
  const { publish, tagsOf } = await withType('tagging', 'tag');
  const five = { a: '1', b: '2', c: '3', d: '4', e: '5' };
  expect(await tagsOf(await publish({ id: 1 }))).toEqual({ schema: 'mismatch' });
  expect(await tagsOf(await publish({ id: 1 }, { tags: five }))).toEqual({ ...five, schema: 'mismatch' });
  expect((await tagsOf(await publish({ id: '1' }))) ?? {}).toEqual({});
  const found = await api.ask({ path: '/v1/events?tag=schema:mismatch', tenant: 'tagging' });
  expect(found.json()).toHaveLength(2);
});

test('off, and a retired type: nothing is checked', async () => {
  const { publish, tagsOf, post } = await withType('off', 'off');
  expect((await tagsOf(await publish({}))) ?? {}).toEqual({});
  await post('/v1/event-types', { name: 'gone', enforce: 'reject', schema });
  await api.ask({ method: 'DELETE', path: '/v1/event-types/gone', tenant: 'off' });
  expect((await publish({}, { type: 'gone' })).status).toBe(202);
});

test.each(['reject', 'tag'])('%s: what can’t be judged is taken, with a tag that says so', async (enforce) => {
  const tenant = `unjudged-${enforce}`;
  await unjudging.postgres.query(
    `WITH type AS (INSERT INTO event_types (tenant, id, visibility, description, notes, words, enforce, version, bytes)
                   VALUES ($1, 'typ_1', 'internal', '', '', 0, $2, 1, 0)),
          name AS (INSERT INTO event_type_names (tenant, name, type_id, kind) VALUES ($1, 't', 'typ_1', 'current'))
     INSERT INTO event_type_versions (tenant, type_id, version, schema, example, example_generated, notes, compatibility, differences)
     VALUES ($1, 'typ_1', 1, 'true', 'null', false, '', 'initial', '[]')`,
    [tenant, enforce],
  );
  const answer = await unjudging.ask({ method: 'POST', path: '/v1/events', body: { type: 't', payload: {} }, tenant });
  expect(answer.status).toBe(202);
  const { id } = answer.json<{ id: string }>();
  const event = await unjudging.ask({ path: `/v1/events/${id}`, tenant });
  expect(event.json()).toMatchObject({ tags: { schema: 'unjudged' } });
});

test('a schema that can’t be compiled, or an example that does not match, is refused with its place', async () => {
  const create = async (body: object) =>
    (
      await api.ask({ method: 'POST', path: '/v1/event-types', body: { name: 'wrong', ...body }, tenant: 'wrong' })
    ).json();
  expect(await create({ schema: { type: 'nothing' } })).toMatchObject({ status: 400, errors: [{ field: '/schema' }] });
  expect(await create({ schema: { pattern: '(' } })).toMatchObject({ status: 400, errors: [{ field: '/schema' }] });
  expect(await create({ schema, example: { id: 1 } })).toMatchObject({
    errors: [{ field: '/example/id', message: 'must be string' }],
  });
  // Made from the schema, but no match of it: better none.
  expect(
    await create({ schema: { type: 'object', properties: { a: { type: 'string', pattern: '^\\d+$' } } } }),
  ).toMatchObject({
    newest: { example: null, example_generated: false },
  });
});
