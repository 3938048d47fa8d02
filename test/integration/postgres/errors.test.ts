import { randomBytes } from 'node:crypto';
import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { createDatabase } from '../../support/servers.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = createPostgres({
    url: await createDatabase(),
    applicationName: 'errors',
    maxConnections: 1,
    statementTimeoutMs: 5_000,
    log: silentLogger,
  });
  await postgres.start();
});
afterAll(() => postgres.stop());

const insert = (tenant: string): Promise<unknown> =>
  postgres.query('INSERT INTO tenant_clocks (tenant, last_at) VALUES ($1, now())', [tenant]);

test.each([
  ['a NUL', 'a\0b'],
  // Random, because what can be packed is packed first. Taken for an outage, it was tried again for ever.
  ['more than an index holds', randomBytes(8_000).toString('hex')],
])('a text with %s is a fault of the data, and not of a store that is away', async (_what, tenant) => {
  await expect(insert(tenant)).rejects.toMatchObject({ code: 'data_invalid', retryable: false });
});
