import { setTimeout as delay } from 'node:timers/promises';
import { createPostgres } from '#lib/postgres';
import { silentLogger, systemClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { createTenantLimits, createTenantUsage, parseLimitSettings } from '#lib/tenancy';
import { createCurrentRequest } from '../../../services/api/http/current-request.ts';
import { createTenantConnections } from '../../../services/api/limits/tenant-connections.ts';
import { createWaitingRequests } from '../../../services/api/limits/waiting-requests.ts';
import { createDatabase } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { closeApps } from '../../unit/api/ask.ts';
import { authorization, buildTestApp } from '../../unit/api/build-test-app.ts';
afterEach(closeApps);

const maxConnections = 10;
/** Connections that a tenant may hold while nobody else holds any: 80 %. */
const tenantShare = 8;
const statementTimeoutMs = 30_000;

/** The API over a pool that tenants share. */
async function openSharedApi(limitsText = '') {
  const read = parseLimitSettings(limitsText);
  if ('problems' in read) throw new Error(read.problems.join());
  const limits = createTenantLimits(read.settings);
  const usage = createTenantUsage(new Metrics(), limits);
  const waiting = createWaitingRequests({ limits, usage });
  const currentRequest = createCurrentRequest();
  const { takeTurn } = createTenantConnections({
    connections: maxConnections,
    tenant: currentRequest.tenant,
    waiting,
    usage,
  });
  const url = await createDatabase();
  const options = { url, applicationName: 'hookline-test', statementTimeoutMs, log: silentLogger };
  const postgres = createPostgres({ ...options, maxConnections, takeTurn, signalOf: currentRequest.signal });
  const another = createPostgres({ ...options, maxConnections: 1 });
  const { ask } = buildTestApp({ postgres, currentRequest, waiting, limits, usage, clock: systemClock });
  const headersOf = (tenant: string) => ({
    authorization,
    'hookline-tenant': tenant,
    'content-type': 'application/json',
  });
  return {
    publish: (tenant: string) =>
      ask({ method: 'POST', path: '/v1/events', headers: headersOf(tenant), body: { type: 'a', payload: {} } }),
    list: (tenant: string) => ask({ path: '/v1/events', headers: headersOf(tenant) }),
    /** @returns a function that changes the tenant's new endpoint; each change holds a connection while it waits for the row */
    async openChanges(tenant: string) {
      const headers = headersOf(tenant);
      const created = await ask({ method: 'POST', path: '/v1/endpoints', headers, body: { url: 'https://a.example' } });
      const path = `/v1/endpoints/${created.json<{ id: string }>().id}`;
      return () => ask({ method: 'PATCH', path, headers, body: { description: 'changed' } });
    },
    /** Every publication of the tenant, and every change of its endpoints, waits until `work` has ended. */
    whileLocked: (tenant: string, work: () => Promise<void>) =>
      another.transaction(async (tx) => {
        await tx.query('INSERT INTO tenant_clocks (tenant, last_at) VALUES ($1, now())', [tenant]);
        await tx.query('SELECT id FROM endpoints WHERE tenant = $1 FOR UPDATE', [tenant]);
        // A transaction that is idle for five seconds is ended, and its lock with it.
        const awake = setInterval(() => void tx.query('SELECT'), 1_000);
        await work().finally(() => clearInterval(awake));
      }),
    async close() {
      for (const pool of [postgres, another]) {
        await pool.start();
        await pool.stop();
      }
    },
  };
}

test('a tenant whose requests wait in the database, ten times as many as there are connections, holds up nobody else', async () => {
  const api = await openSharedApi();
  let waiting: Promise<unknown> = Promise.resolve();
  const change = await api.openChanges('greedy');
  await api.whileLocked('greedy', async () => {
    const held = Array.from({ length: 10 * maxConnections }, change);
    // Far below the statement time-out, for which those waiting for the lock would otherwise hold all connections.
    const others = await Promise.race([
      Promise.all(['b', 'c'].map((tenant) => api.list(tenant))),
      delay(statementTimeoutMs / 2, 'they wait', { ref: false }),
    ]);
    expect(others).toMatchObject([{ status: 200 }, { status: 200 }]);
    // Requests beyond the share have waited as long as they may: they are refused, and none is half done.
    const refused: unknown[] = [];
    const told = held.map(async (answered) => {
      const answer = await answered;
      if (answer.status !== 200) refused.push([answer.status, answer.json<{ code: string }>().code]);
    });
    await waitUntil('all but those in the database are told', () => refused.length === held.length - tenantShare, {
      timeoutMs: 25_000,
      describe: () => `${refused.length} are told`,
    });
    expect(refused).toEqual(refused.map(() => [503, 'unavailable']));
    waiting = Promise.all(told);
  });
  await waiting;
  await api.close();
});

test('no more of a tenant wait than its limit says, and what they ask is done once there is room', async () => {
  const api = await openSharedApi('waiting_requests=3');
  const answers: Promise<number>[] = [];
  let refused = 0;
  await api.whileLocked('greedy', async () => {
    for (let n = 0; n < 20; n += 1) {
      const answer = api.publish('greedy').then(({ status }) => status);
      void answer.then((status) => (refused += status === 429 ? 1 : 0));
      answers.push(answer);
    }
    await waitUntil('those beyond the limit are told', () => refused === 16, { timeoutMs: 3_500 });
  });
  const statuses = await Promise.all(answers);
  expect(statuses.filter((status) => status === 202)).toHaveLength(1 + 3);
  expect(statuses.filter((status) => status === 429)).toHaveLength(16);
  await api.close();
});
