import { originOf } from '#lib/kafka';
import { createPostgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { runHookline } from '../../support/run-hookline.ts';
import { serverAddresses } from '../../support/servers.ts';
import { recordOf } from '../../unit/dedup/records.ts';
import { never } from '../../unit/dedup/world.ts';
import { createWorld, type World } from '../dedup/world.ts';

let world: World;
let postgres: ReturnType<typeof createPostgres>;

beforeAll(async () => {
  world = await createWorld();
  postgres = createPostgres({
    log: silentLogger,
    url: world.databaseUrl,
    applicationName: 'hookline-test',
    maxConnections: 1,
    statementTimeoutMs: 10_000,
  });
  await postgres.start();
});
afterAll(async () => {
  await postgres?.stop();
  await world?.stop();
});

const rows = () =>
  postgres.query(
    'SELECT tenant, key, origin, event_id, body_hash, expires_at IS NULL AS is_open FROM dedup_keys ORDER BY key',
  );

async function rebuild(...args: string[]) {
  const { kafkaBrokers, schemaRegistryUrl } = serverAddresses();
  const ran = await runHookline(['rebuild', 'dedup', '--json', ...args], {
    env: {
      HOOKLINE_KAFKA_BROKERS: kafkaBrokers.join(','),
      HOOKLINE_SCHEMA_REGISTRY_URL: schemaRegistryUrl,
      HOOKLINE_TOPIC_PREFIX: world.topicPrefix,
      HOOKLINE_DATABASE_URL: world.databaseUrl,
    },
  });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return JSON.parse(ran.stdout) as { events: number; restored: number };
}

test('what was lost with the database is known again, in whatever order the records come again', async () => {
  const receivedAt = Date.now() * 1_000;
  const first = [
    recordOf({ id: 'a', partition: 0, offset: 0, receivedAt }),
    recordOf({ id: 'b', partition: 0, offset: 1, receivedAt }),
    recordOf({ id: 'kept', partition: 0, offset: 2, receivedAt }),
    recordOf({ id: 'erased', partition: 0, offset: 3, receivedAt }),
  ];
  const repetition = () => recordOf({ id: 'a', partition: 1, offset: 0, receivedAt: receivedAt + 1 });
  const worker = await world.startWorker();
  await worker.handle(first, never);
  await worker.handle([repetition()], never);
  const before = await rows();
  expect(before).toHaveLength(4);
  const published = (await world.outcomes()).events();
  const idOf = (name: string): string => published.find(({ event_id }) => event_id === name)?.id ?? '';

  await postgres.query('DELETE FROM dedup_keys WHERE event_id <> $1', [idOf('kept')]);
  await postgres.query(`INSERT INTO erased (tenant, id, erasure_id) VALUES ('default', $1, 'ers_1')`, [idOf('erased')]);
  await world.redis.flushAll();
  expect(await rebuild('--dry-run')).toMatchObject({ events: 4, restored: 2 });
  expect(await rows()).toHaveLength(1);
  expect(await rebuild('--since', '10m')).toMatchObject({ events: 4, restored: 2 });
  expect(await rows()).toEqual(before.filter((row) => row['event_id'] !== idOf('erased')));
  expect(await rebuild()).toMatchObject({ restored: 0 });

  const again = await world.startWorker();
  await again.handle([repetition()], never);
  await again.handle(first.slice(0, 3), never);
  const outcomes = await world.outcomes();
  expect(outcomes.events()).toHaveLength(4);
  const origins = outcomes.duplicates().map(({ origin }) => origin);
  expect(origins).toEqual([originOf(repetition()), originOf(repetition())]);
});
