/** Webhooks against the schema of their event type, in the tenant's own words, on the real table and in the real thread. */
import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { recordOf } from '../../unit/dedup/records.ts';
import { createWorld, type World } from './world.ts';

let world: World;
let postgres: Postgres;
beforeAll(async () => {
  world = await createWorld();
  postgres = createPostgres({
    url: world.databaseUrl,
    applicationName: 'hookline-test',
    maxConnections: 1,
    statementTimeoutMs: 10_000,
    log: silentLogger,
  });
  await postgres.start();
});
afterAll(async () => {
  await postgres.stop();
  await world.stopServices();
  await world.stop();
});

const never = new AbortController().signal;

/** The type `order.paid`, called `order` once, with an integer `total`. */
async function describeType(tenant: string, enforce: 'off' | 'tag' | 'reject'): Promise<void> {
  await postgres.query(
    `WITH type AS (INSERT INTO event_types (tenant, id, visibility, description, notes, words, enforce, version, bytes)
                   VALUES ($1, 'typ_1', 'internal', '', '', 0, $2, 1, 0)),
          names AS (INSERT INTO event_type_names (tenant, name, type_id, kind)
                    VALUES ($1, 'order.paid', 'typ_1', 'current'), ($1, 'order', 'typ_1', 'renamed'))
     INSERT INTO event_type_versions (tenant, type_id, version, schema, example, example_generated, notes, compatibility, differences)
     VALUES ($1, 'typ_1', 1, $3, 'null', false, '', 'initial', '[]')`,
    [tenant, enforce, JSON.stringify({ required: ['total'], properties: { total: { type: 'integer' } } })],
  );
}

it('tags what does not match, whatever the type would do to a published event; other types and tenants are left alone', async () => {
  await Promise.all([describeType('tagging', 'tag'), describeType('rejecting', 'reject'), describeType('off', 'off')]);
  const given = [
    ['tagging', { type: 'order.paid', total: 1 }, {}],
    ['tagging', { type: 'order.paid', total: '1' }, { schema: 'mismatch' }],
    ['tagging', { type: 'order' }, { schema: 'mismatch' }],
    ['tagging', { type: 'order.sent' }, {}],
    ['rejecting', { type: 'order.paid' }, { schema: 'mismatch' }],
    ['off', { type: 'order.paid' }, {}],
    ['nobody', { type: 'order.paid' }, {}],
  ] as const;
  const records = given.map(([tenant, body], offset) =>
    recordOf({
      id: `${offset}`,
      offset,
      tenant,
      topic: world.topics['webhooks.received'],
      receivedAt: Date.now() * 1000,
      body: JSON.stringify({ id: `${offset}`, ...body }),
    }),
  );
  const worker = await world.startWorker();
  await worker.handle(records, never);
  const events = (await world.outcomes()).events();
  const tagsById = new Map(events.map(({ event_id, tags }) => [event_id, tags]));
  expect(given.map((_, offset) => tagsById.get(`${offset}`))).toEqual(given.map(([, , tags]) => tags));
});
