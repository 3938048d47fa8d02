import { createPostgres, type Postgres } from '#lib/postgres';
import { formatMicros, silentLogger } from '#lib/runtime';
import { createDisableEndpoint } from '../../../services/dispatcher/endpoints/disable-endpoint.ts';
import { createFailingTable, type FailingTable } from '../../../services/dispatcher/endpoints/failing-table.ts';
import { createDatabase } from '../../support/servers.ts';

const since = Date.UTC(2026, 0, 2, 3, 4, 5) * 1_000 + 6;
const endpoint = { tenant: 'acme', id: 'ep_1', revision: 1 };

let postgres: Postgres;
let table: FailingTable;
beforeAll(async () => {
  postgres = createPostgres({
    url: await createDatabase(),
    applicationName: 'hookline-test',
    maxConnections: 2,
    statementTimeoutMs: 10_000,
    log: silentLogger,
  });
  await postgres.start();
  table = createFailingTable(postgres);
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  await postgres.query('TRUNCATE endpoints, announcements');
  await postgres.query(
    `INSERT INTO endpoints (tenant, id, url, event_types, secrets)
     VALUES ('acme', 'ep_1', 'https://receiver.test/hook?token=1', '{}', ''),
            ('acme', 'ep_asks', 'https://operator.test/', '{hookline.*}', '')`,
  );
});

const disable = (): Promise<boolean> =>
  createDisableEndpoint({ postgres, metrics: { endpointDisabled: () => undefined }, log: silentLogger })(endpoint, {
    reason: 'gone',
  });

const row = async (): Promise<object | undefined> =>
  (
    await postgres.query(
      `SELECT failing_since, outage_since, disabled_at IS NULL AS open FROM endpoints WHERE id = 'ep_1'`,
    )
  )[0];
const announced = async (): Promise<string[]> =>
  (await postgres.query<{ type: string }>('SELECT type FROM announcements ORDER BY due_at')).map(({ type }) =>
    type.replace('hookline.endpoint.', ''),
  );

/** No announcement can be written from now on. */
const refuse = (): Promise<object[]> =>
  postgres.query(`ALTER TABLE announcements ADD CONSTRAINT refused CHECK (subject = '') NOT VALID`);
const accept = (): Promise<object[]> => postgres.query('ALTER TABLE announcements DROP CONSTRAINT refused');

describe('an outage of an endpoint', () => {
  it('is in its row if and only if it is announced', async () => {
    await refuse();
    await expect(table.beginOutage(endpoint, { since, failedAttempts: 3 })).rejects.toThrow();
    expect(await row()).toMatchObject({ outage_since: null });
    await accept();
    expect(await table.beginOutage(endpoint, { since, failedAttempts: 3 })).toBeDefined();
    expect([await announced(), await row()]).toMatchObject([['failing'], { outage_since: formatMicros(since) }]);

    await refuse();
    await expect(table.endOutage(endpoint)).rejects.toThrow();
    expect(await row()).toMatchObject({ outage_since: formatMicros(since) });
    await accept();
    expect(await table.endOutage(endpoint)).toBeDefined();
    expect([await announced(), await row()]).toMatchObject([['failing', 'recovered'], { outage_since: null }]);
  });

  it('begins once and ends once, however often that is tried', async () => {
    expect(await table.endOutage(endpoint)).toBeUndefined();
    const tries = Array.from({ length: 5 }, () => table.beginOutage(endpoint, { since, failedAttempts: 3 }));
    expect((await Promise.all(tries)).filter((changed) => changed !== undefined)).toHaveLength(1);
    const ends = Array.from({ length: 5 }, () => table.endOutage(endpoint));
    expect((await Promise.all(ends)).filter((changed) => changed !== undefined)).toHaveLength(1);
    expect(await announced()).toEqual(['failing', 'recovered']);
  });

  it('is not begun for a revision that was changed since, nor where nobody asks', async () => {
    expect(await table.beginOutage({ ...endpoint, revision: 2 }, { since, failedAttempts: 3 })).toBeUndefined();
    await postgres.query(`UPDATE endpoints SET deleted_at = now() WHERE id = 'ep_asks'`);
    expect(await table.beginOutage(endpoint, { since, failedAttempts: 3 })).toBeUndefined();
    expect([await announced(), await row()]).toMatchObject([[], { outage_since: null }]);
  });

  it('ends with the disabling, and then nobody is told of a recovery', async () => {
    await table.setFailingSince(endpoint, since);
    await table.beginOutage(endpoint, { since, failedAttempts: 3 });
    await disable();
    expect(await row()).toMatchObject({ outage_since: null, open: false });
    await postgres.query(`UPDATE endpoints SET disabled_at = NULL WHERE id = 'ep_1'`);
    expect(await table.endOutage(endpoint)).toBeUndefined();
    expect(await announced()).toEqual(['failing', 'disabled']);
  });
});

describe('a disabling', () => {
  it('is announced whether or not somebody asks, and not done where it can’t be announced', async () => {
    await postgres.query(`DELETE FROM endpoints WHERE id = 'ep_asks'`);
    await refuse();
    expect(await disable()).toBe(false);
    expect(await row()).toMatchObject({ open: true });
    await accept();
    expect(await disable()).toBe(true);
    expect([await announced(), await row()]).toMatchObject([['disabled'], { open: false }]);
  });

  it('is announced as coming only while the endpoint is still failing since then', async () => {
    await table.announceDisabling(endpoint, { since, disablingAt: since });
    expect(await announced()).toEqual([]);
    await table.setFailingSince(endpoint, since);
    await table.announceDisabling(endpoint, { since, disablingAt: since });
    await table.announceDisabling(endpoint, { since, disablingAt: since + 1 });
    expect(await announced()).toEqual(['disabling_soon']);
  });
});
