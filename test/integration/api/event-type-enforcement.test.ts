/** Events that are published against the schema of their type: taken, taken with a tag, or refused; and never lost. */
import { silentLogger, systemClock } from '#lib/runtime';
import { createDocumentJobs, type SchemaChecks, type Verdict } from '#lib/schema-checks';
import { type OpenApi, openApi } from './api-over-database.ts';

let api: OpenApi;
/** Its thread never comes to a verdict, for this reason. */
let unjudging: OpenApi;
let verdict: Verdict = { kind: 'unjudged', reason: 'too_slow' };
const never: SchemaChecks = { check: async () => verdict };
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
    status: 400,
    code: 'validation_failed',
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

/** Publishes to a type whose payloads can't be judged. */
async function publishUnjudged(enforce: string, why: Verdict) {
  verdict = why;
  const tenant = `unjudged-${(lastUnjudged += 1)}`;
  await unjudging.postgres.query(
    `WITH type AS (INSERT INTO event_types (tenant, id, visibility, description, notes, words, enforce, version, bytes)
                   VALUES ($1, 'typ_1', 'internal', '', '', 0, $2, 1, 0)),
          name AS (INSERT INTO event_type_names (tenant, name, type_id, kind) VALUES ($1, 't', 'typ_1', 'current'))
     INSERT INTO event_type_versions (tenant, type_id, version, schema, example, example_generated, notes, compatibility, differences)
     VALUES ($1, 'typ_1', 1, 'true', 'null', false, '', 'initial', '[]')`,
    [tenant, enforce],
  );
  const body = { type: 't', payload: {} };
  return { tenant, answer: await unjudging.ask({ method: 'POST', path: '/v1/events', body, tenant }) };
}
let lastUnjudged = 0;
const eventsOf = async (tenant: string) => unjudging.postgres.query('SELECT FROM events WHERE tenant = $1', [tenant]);

test.each<[Verdict, number, string]>([
  [{ kind: 'unjudged', reason: 'busy' }, 503, 'unavailable'],
  [{ kind: 'unjudged', reason: 'failed' }, 503, 'unavailable'],
  [{ kind: 'unjudged', reason: 'too_slow' }, 422, 'schema_unusable'],
  [{ kind: 'invalid_schema', message: 'none' }, 422, 'schema_unusable'],
])('reject: an event that can’t be judged (%j) is %i, and never let through', async (why, status, code) => {
  const { tenant, answer } = await publishUnjudged('reject', why);
  expect(answer.json()).toMatchObject({ status, code });
  expect(answer.headers['retry-after']).toEqual(status === 503 ? expect.any(String) : undefined);
  if (status === 422) expect(answer.json<{ detail: string }>().detail).toMatch(/^The newest schema of t /);
  expect(await eventsOf(tenant)).toEqual([]);
});

test('tag: what can’t be judged is taken, with a tag that says so', async () => {
  const { tenant, answer } = await publishUnjudged('tag', { kind: 'unjudged', reason: 'busy' });
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
  expect(await create({ schema: { $async: true } })).toMatchObject({ status: 400, errors: [{ field: '/schema' }] });
  // None is made from the schema.
  expect(await create({ schema })).toMatchObject({ newest: { example: null, example_generated: false } });
});

test('a stored schema with `$async` judges as if it had none, beside others', async () => {
  const { publish } = await withType('async', 'reject');
  await api.postgres.query(
    `UPDATE event_type_versions SET schema = '{"$async":true,"type":"object","required":["id"]}' WHERE tenant = 'async'`,
  );
  const other = await withType('beside', 'reject');
  const statuses: number[] = [];
  for (let turn = 0; turn < 10; turn += 1)
    for (const one of [publish, other.publish]) statuses.push((await one({})).status, (await one({ id: '1' })).status);
  expect(statuses).toEqual(Array(20).fill([400, 202]).flat());
});

test('slow schemas of a tenant at once delay no event of another', async () => {
  const own = await openApi({ documents: createDocumentJobs({ clock: systemClock, log: silentLogger }) });
  try {
    const timeoutMs = 110_000;
    const post = (path: string, body: object, tenant: string) =>
      own.ask({ method: 'POST', path, body, tenant, timeoutMs });
    const publish = () => post('/v1/events', { type: 't', payload: { id: '1' } }, 'quick');
    await post('/v1/event-types', { name: 't', enforce: 'reject', schema, example: { id: '1' } }, 'quick');
    expect((await publish()).status).toBe(202);
    const slow = { schema: { pattern: '^(a+)+$' }, example: `${'a'.repeat(60)}!` };
    // Twelve, beside all that else a tenant can do: e2e/neighbours by night.
    const atOnce = 3;
    let ended = 0;
    const creating = Array.from({ length: atOnce }, async (_, n) => {
      const answer = await post('/v1/event-types', { name: `slow.${n}`, ...slow }, 'slow');
      ended += 1;
      return answer;
    });
    for (let turn = 0; turn < 5; turn += 1) expect((await publish()).status).toBe(202);
    // None of them was waited for: each takes two seconds.
    expect(ended).toBeLessThan(atOnce);
    for (const answer of await Promise.all(creating)) {
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('2000 ms of a processor');
    }
  } finally {
    await own.close();
  }
}, 120_000);
