/** As many sources as a tenant may have at the most, and sources that were deleted long ago. */
import { topicDefinitions, topicsOf } from '#lib/contract';
import { createTopics } from '#lib/kafka';
import { createPostgres, type Postgres } from '#lib/postgres';
import { createId, silentLogger, systemClock } from '#lib/runtime';
import { createDatabase, serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { signAsHookline } from '../../support/sign-webhook.ts';
import { type Ingress, insertSource, startIngress, type TestSource } from './ingress-process.ts';

const { kafkaBrokers: brokers } = serverAddresses();
const topicPrefix = uniquePrefix('many-sources');
const body = Buffer.from('{"id":"evt_1"}');

let databaseUrl: string;
let postgres: Postgres;
let ingress: Ingress | undefined;

beforeEach(async () => {
  databaseUrl = await createDatabase();
  postgres = createPostgres({
    url: databaseUrl,
    applicationName: 'hookline-test',
    maxConnections: 1,
    statementTimeoutMs: 120_000,
    log: silentLogger,
  });
  await postgres.start();
  const topics = topicDefinitions({ topicPrefix, partitions: 1, replicationFactor: 1 });
  const received = topics.filter(({ name }) => name === topicsOf(topicPrefix)['webhooks.received']);
  await createTopics({ brokers }, received, { clock: systemClock, log: silentLogger });
});
afterEach(async () => {
  await ingress?.stop();
  ingress = undefined;
  await postgres.stop();
});

const start = async (): Promise<Ingress> => (ingress = await startIngress({ brokers, topicPrefix, databaseUrl }));
const post = ({ id, secret }: TestSource) =>
  ingress!.post(id, body, signAsHookline(secret, body, Math.floor(Date.now() / 1000)));

/** Inserts unused sources with one statement, around some that are used. */
async function insertMany(count: number): Promise<void> {
  const { id } = await insertSource(postgres);
  await postgres.query(
    `INSERT INTO sources (tenant, id, name, scheme, settings, secrets)
     SELECT tenant, 'src_' || lpad(n::text, 26, '0'), name, scheme, '{"event_type_from": ["/type"]}', secrets
       FROM sources, generate_series(1, $2::integer) AS n
      WHERE id = $1`,
    [id, count],
  );
}

test('three hundred thousand sources are loaded, and each takes webhooks', async () => {
  const first = await insertSource(postgres);
  await insertMany(300_000);
  const last = await insertSource(postgres);
  const startedAtMs = performance.now();
  await start();
  // On two idle cores a few seconds; these have other work, too.
  expect(performance.now() - startedAtMs).toBeLessThan(60_000);
  for (const source of [first, last]) expect((await post(source)).status).toBe(202);
  const asked = await ingress!.post(`src_${'123456'.padStart(26, '0')}`, body, {});
  // Its secret is another's: it is there, and can't be used.
  expect(asked.status).toBe(503);
});

test('a source that was deleted so long ago that it is in memory no more is gone, and not unknown', async () => {
  const [source, gone] = [await insertSource(postgres), await insertSource(postgres)];
  await postgres.query(`UPDATE sources SET deleted_at = '2020-01-01Z', buried = true, secrets = '' WHERE id = $1`, [
    gone.id,
  ]);
  await start();
  expect((await post(source)).status).toBe(202);
  expect((await post(gone)).status).toBe(410);
  expect((await post({ ...gone, id: createId('src', Date.now()) })).status).toBe(404);
  // From memory, too, as soon as it is read.
  await postgres.query(`UPDATE sources SET deleted_at = '2020-01-01Z', buried = true, secrets = '' WHERE id = $1`, [
    source.id,
  ]);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect((await post(source)).status).toBe(410);
});
