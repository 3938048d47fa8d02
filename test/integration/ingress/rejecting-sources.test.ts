import { setTimeout as delay } from 'node:timers/promises';
import { topicDefinitions, topicsOf } from '#lib/contract';
import { createTopics } from '#lib/kafka';
import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger, systemClock } from '#lib/runtime';
import { signHookline } from '#lib/signatures';
import { announcedPayload } from '../../../services/dispatcher/announcing/announced-payload.ts';
import { documentedMembers } from '../../support/documented-events.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Ingress, insertSource, startIngress, type TestSource } from './ingress-process.ts';
const body = Buffer.from('{"id":1}');

let postgres: Postgres;
/** Two processes, as behind one address. */
let ingresses: Ingress[];
beforeAll(async () => {
  const { kafkaBrokers: brokers } = serverAddresses();
  const topicPrefix = uniquePrefix('rejecting');
  const databaseUrl = await createDatabase();
  postgres = createPostgres({
    url: databaseUrl,
    applicationName: 'hookline-test',
    maxConnections: 2,
    statementTimeoutMs: 10_000,
    log: silentLogger,
  });
  await postgres.start();
  const topics = topicDefinitions({ topicPrefix, partitions: 1, replicationFactor: 1 });
  await createTopics(
    { brokers },
    topics.filter(({ name }) => name === topicsOf(topicPrefix)['webhooks.received']),
    { clock: systemClock, log: silentLogger },
  );
  await postgres.query(
    `INSERT INTO endpoints (tenant, id, url, event_types, secrets) VALUES ('acme', 'ep_asks', 'https://operator.test/', '{hookline.*}', '')`,
  );
  ingresses = await Promise.all([1, 2].map(() => startIngress({ brokers, topicPrefix, databaseUrl })));
});
afterAll(async () => {
  for (const ingress of ingresses ?? []) await ingress.stop();
  await postgres?.stop();
});

const signed = ({ secret }: TestSource): Record<string, string> => ({
  'hookline-signature': signHookline({ secret, body, timestampSeconds: Math.floor(Date.now() / 1_000) }),
});
async function accept(ingress: Ingress | undefined, source: TestSource): Promise<void> {
  expect((await ingress?.post(source.id, body, signed(source)))?.status).toBe(202);
}
/** Five rejections a second of one source are kept. */
async function reject(source: TestSource, count: number, headers: () => Record<string, string>): Promise<void> {
  for (let sent = 0; sent < count; sent += 4) {
    for (let index = 0; index < Math.min(4, count - sent); index += 1)
      expect((await ingresses[0]?.post(source.id, body, headers()))?.status).toBe(401);
    await delay(1_200);
  }
}
const forged = () => ({
  'hookline-signature': signHookline({ secret: 'whsec_wrong', body, timestampSeconds: Math.floor(Date.now() / 1_000) }),
});

const announcementsOf = ({ id }: TestSource): Promise<{ facts: Record<string, unknown>; wait: number }[]> =>
  postgres.query(
    `SELECT facts, extract(epoch FROM due_at - clock_timestamp())::float8 AS wait FROM announcements WHERE subject = $1`,
    [id],
  );
const rejectingSince = async ({ id }: TestSource): Promise<string | null | undefined> =>
  (
    await postgres.query<{ since: string | null }>('SELECT rejecting_since AS since FROM sources WHERE id = $1', [id])
  )[0]?.since;

describe('a source that rejects', () => {
  it('and accepts nothing is announced with the code and the count, once until it accepts something', async () => {
    const source = await insertSource(postgres);
    await reject(source, 4, () => ({}));
    await reject(source, 12, forged);
    await waitUntil('it is announced', async () => (await announcementsOf(source)).length === 1);
    const [{ facts, wait } = { facts: {}, wait: 0 }] = await announcementsOf(source);
    expect(facts).toEqual({
      name: 'test',
      code: 'signature_invalid',
      rejections: expect.any(Number) as number,
      since: expect.any(String) as string,
    });
    expect(facts['rejections']).toBeGreaterThanOrEqual(10);
    const type = 'hookline.source.rejecting';
    const payload = announcedPayload({ tenant: 'acme', type, subject: source.id, episode: '', facts, due_at: '' });
    expect(Object.keys(payload).toSorted()).toEqual(documentedMembers(type).toSorted());
    expect(wait).toBeGreaterThan(5);
    // As published. It goes on rejecting, for longer than the next two looks at it.
    await postgres.query('DELETE FROM announcements');
    await reject(source, 36, forged);
    expect(await announcementsOf(source)).toEqual([]);
    expect(await rejectingSince(source)).not.toBeNull();
    await accept(ingresses[1], source);
    await waitUntil('it is no longer marked', async () => (await rejectingSince(source)) === null);
  });

  it('is not announced while any process accepts its webhooks, or has within ten minutes', async () => {
    const [here, elsewhere] = [await insertSource(postgres), await insertSource(postgres)];
    await accept(ingresses[0], here);
    await accept(ingresses[1], elsewhere);
    await Promise.all([reject(here, 16, forged), reject(elsewhere, 16, forged)]);
    await waitUntil('one is suspected', async () => (await announcementsOf(elsewhere)).length === 1);
    const [{ wait } = { wait: 0 }] = await announcementsOf(elsewhere);
    await waitUntil('the other process withdraws that', async () => (await announcementsOf(elsewhere)).length === 0, {
      timeoutMs: wait * 1_000 - 1_000,
    });
    expect([await rejectingSince(here), await rejectingSince(elsewhere)]).toEqual([null, null]);
    await reject(elsewhere, 20, forged);
    expect([await announcementsOf(here), await announcementsOf(elsewhere)]).toEqual([[], []]);
  });

  it('is not announced for fewer than ten rejections of a code, nor where nobody asks', async () => {
    const [few, quiet] = [await insertSource(postgres), await insertSource(postgres)];
    await postgres.query(`UPDATE sources SET tenant = 'quiet' WHERE id = $1`, [quiet.id]);
    await postgres.query(
      `INSERT INTO rejections (tenant, source_id, id, at, code, client_address, headers)
       SELECT 'quiet', $1, 'rej_' || n, clock_timestamp(), 'signature_invalid', '127.0.0.1', '{}' FROM generate_series(1, 20) AS n`,
      [quiet.id],
    );
    await postgres.query(
      `INSERT INTO rejections (tenant, source_id, id, at, code, client_address, headers)
       SELECT 'acme', $1, 'rej_' || n, clock_timestamp() - interval '11 minutes', 'signature_invalid', '127.0.0.1', '{}'
         FROM generate_series(1, 20) AS n`,
      [few.id],
    );
    await Promise.all([reject(few, 8, forged), reject(few, 4, () => ({}))]);
    await delay(11_000);
    expect([await announcementsOf(few), await rejectingSince(few)]).toEqual([[], null]);
    expect([await announcementsOf(quiet), await rejectingSince(quiet)]).toEqual([[], null]);
  });
});
