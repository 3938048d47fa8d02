/** Endpoints of one tenant whose histories are as large as can be, beside those of others. */
import { randomBytes } from 'node:crypto';
import { secretsContext } from '#lib/contract';
import { createPostgres, type Postgres, type Query } from '#lib/postgres';
import { createId, silentLogger, systemClock } from '#lib/runtime';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import { createEndpointDirectory } from '../../../services/dispatcher/endpoints/endpoint-directory.ts';
import { createDatabase } from '../../support/servers.ts';

const secretBox = createSecretBox(parseEncryptionKeys([`test:${randomBytes(32).toString('base64')}`]));

let postgres: Postgres;
/** Its statements may take as long as most of the dispatcher's. */
let follower: Postgres;
beforeAll(async () => {
  const common = { url: await createDatabase(), applicationName: 'hookline-test', log: silentLogger };
  postgres = createPostgres({ ...common, maxConnections: 1, statementTimeoutMs: 120_000 });
  follower = createPostgres({ ...common, maxConnections: 1, statementTimeoutMs: 5_000 });
  await postgres.start();
  await follower.start();
});
afterAll(async () => {
  await follower.stop();
  await postgres.stop();
});

async function insertEndpoint(tenant: string, history: object[] = []): Promise<string> {
  const id = createId('ep', Date.now());
  const secrets = secretBox.seal(JSON.stringify([{ secret: 'whsec_x' }]), secretsContext('endpoints', tenant, id));
  await postgres.query(
    `INSERT INTO endpoints (tenant, id, url, secrets, history) VALUES ($1, $2, 'https://receiver.test/', $3, $4)`,
    [tenant, id, secrets, JSON.stringify(history)],
  );
  return id;
}

/** 26 kB, as 100 types of the longest names. */
const longTypes = (change: number): string[] =>
  Array.from({ length: 100 }, (_, index) => `${change}.${index}.`.padEnd(255, 'x'));
const longHistory = Array.from({ length: 101 }, (_, change) => ({
  until: new Date(Date.now() - 3_600_000 + change * 1_000).toISOString().replace('Z', '000Z'),
  open: true,
  event_types: longTypes(change),
  source_ids: [],
  filter: null,
}));

test('200 endpoints of 2.6 MB of history each keep nobody else’s endpoints from being read', async () => {
  const large: string[] = [];
  for (let index = 0; index < 200; index += 1) large.push(await insertEndpoint('greedy', longHistory));
  await insertEndpoint('acme');
  let bytesRead = 0;
  const counted: Query['query'] = async <T extends object>(...statement: Parameters<Query['query']>) => {
    const rows = await follower.query<T>(...statement);
    bytesRead += Buffer.byteLength(JSON.stringify(rows));
    return rows;
  };
  const directory = createEndpointDirectory({
    postgres: { query: counted },
    secretBox,
    longestWindowMs: 14 * 24 * 3_600_000,
    longestLifeMs: 29 * 24 * 3_600_000,
    clock: systemClock,
    log: silentLogger,
  });
  await directory.start();
  const candidates = (tenant: string, type: string) =>
    [...directory.candidates({ tenant, type, source_id: 'src_1' })].length;
  expect([candidates('acme', 'order.created'), candidates('greedy', 'order.created')]).toEqual([1, 200]);
  expect(directory.get('greedy', large[7]!)?.past).toHaveLength(101);

  // Changes that leave the histories as they are, of all of them every second: no history is read for that.
  for (let round = 0; round < 3; round += 1) {
    await postgres.query(`UPDATE endpoints SET url = url || '1', revision = revision + 1 WHERE tenant = 'greedy'`);
    const created = await insertEndpoint('acme');
    const read = bytesRead;
    await directory.refresh();
    expect(bytesRead - read).toBeLessThan(1_000_000);
    expect(directory.get('acme', created)).toBeDefined();
  }
  await postgres.query(`UPDATE endpoints SET event_types = '{late}', revision = revision + 1 WHERE id = $1`, [
    large[7],
  ]);
  await directory.refresh();
  expect(directory.get('greedy', large[7]!)?.past).toHaveLength(102);
  expect(directory.get('greedy', large[7]!)?.subscription.eventTypes).toEqual(['late']);
  await directory.stop();
});
