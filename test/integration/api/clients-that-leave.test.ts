import { request } from 'node:http';
import { createPostgres } from '#lib/postgres';
import { silentLogger, systemClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { createTenantLimits, createTenantUsage, noLimitSettings } from '#lib/tenancy';
import { createCurrentRequest } from '../../../services/api/http/current-request.ts';
import { createTenantConnections } from '../../../services/api/limits/tenant-connections.ts';
import { createWaitingRequests } from '../../../services/api/limits/waiting-requests.ts';
import { createEventSearch } from '../../../services/api/searching/event-search.ts';
import { createDatabase } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Asking, closeApps, listen } from '../../unit/api/ask.ts';
import { authorization, buildTestApp } from '../../unit/api/build-test-app.ts';

const applicationName = 'hookline-test';
const tables = ['events', 'deliveries', 'dead_letters', 'event_types', 'endpoints', 'sources', 'audit'];
/** From the moment in which a client's socket is closed. */
const goneWithinMs = 200;

async function open() {
  const url = await createDatabase();
  const limits = createTenantLimits(noLimitSettings);
  const usage = createTenantUsage(new Metrics(), limits);
  const waiting = createWaitingRequests({ limits, usage });
  const currentRequest = createCurrentRequest();
  const maxConnections = 5;
  const { takeTurn } = createTenantConnections({
    connections: maxConnections,
    tenant: currentRequest.tenant,
    waiting,
    usage,
  });
  const options = { url, statementTimeoutMs: 30_000, log: silentLogger };
  const postgres = createPostgres({
    ...options,
    applicationName,
    maxConnections,
    takeTurn,
    signalOf: currentRequest.signal,
    isPipelined: 'on-request',
  });
  const another = createPostgres({ ...options, applicationName: 'another', maxConnections: 2 });
  const search = createEventSearch({
    database: { url },
    name: applicationName,
    log: silentLogger,
    limits: { bytes: 1_000_000, beginWithinMs: 60_000, statementMs: 60_000 },
  });
  const { app, ask } = buildTestApp({
    postgres,
    currentRequest,
    waiting,
    limits,
    usage,
    search,
    clock: systemClock,
  });
  const port = await listen(app);
  const waitingStatements = async (): Promise<number> => {
    const [row] = await another.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE application_name LIKE $1 AND datname = current_database() AND state = 'active' AND wait_event_type = 'Lock'`,
      [`${applicationName}%`],
    );
    return row?.n ?? 0;
  };
  return {
    ask: (asking: Asking) => ask({ ...asking, headers: headersOf(asking) }),
    postgres,
    another,
    waitingStatements,
    /** Sends a request. @returns its end: closes the socket */
    send(asking: Asking): () => void {
      const { method = 'GET', path, body } = asking;
      const outgoing = request({ host: '127.0.0.1', port, method, path, headers: headersOf(asking), agent: false });
      outgoing.on('error', () => undefined);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
      return () => outgoing.destroy();
    },
    /** No statement on these tables is answered while `work` runs. */
    whileLocked: (work: () => Promise<void>) =>
      another.transaction(async (tx) => {
        await tx.query(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
        // A transaction that is idle for five seconds is ended, and its locks with it.
        const awake = setInterval(() => void tx.query('SELECT'), 1_000);
        await work().finally(() => clearInterval(awake));
      }),
    async close() {
      await closeApps();
      for (const part of [search, postgres, another]) {
        await part.start();
        await part.stop();
      }
    },
  };
}

const headersOf = ({ body, headers }: Asking) => ({
  authorization,
  'hookline-tenant': 'acme',
  ...(body !== undefined && { 'content-type': 'application/json' }),
  ...headers,
});

let api: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  api = await open();
});
afterAll(() => api.close());

const preview = { method: 'POST', path: '/v1/events/replay', body: { all: true, dry_run: true } };

test.each<[string, Asking]>([
  ['a list', { path: '/v1/events' }],
  ['a list, newest first', { path: '/v1/events?order=desc' }],
  ['a list by filters', { path: '/v1/deliveries?status=delivered' }],
  ['dead letters', { path: '/v1/dead-letters' }],
  ['the look before a long poll', { path: '/v1/events?wait=30' }],
  ['a search', { path: '/v1/events/search?filter=%7B%22a%22%3A1%7D' }],
  ['a bulk preview', preview],
  ['a bulk preview with an idempotency key', { ...preview, headers: { 'idempotency-key': 'preview-1' } }],
  ['an export', { path: '/v1/event-types/export' }],
])('%s ends on the server when its client leaves', async (_what, asking) => {
  await api.whileLocked(async () => {
    const leave = api.send(asking);
    await waitUntil('it waits for the lock', async () => (await api.waitingStatements()) === 1);
    leave();
    const leftAtMs = performance.now();
    await waitUntil('it is gone', async () => (await api.waitingStatements()) === 0);
    expect(performance.now() - leftAtMs).toBeLessThan(goneWithinMs);
  });
});

test('a preview that was given up is carried out when it is sent again with its key', async () => {
  const asking = { ...preview, headers: { 'idempotency-key': 'preview-2' } };
  await api.whileLocked(async () => {
    const leave = api.send(asking);
    await waitUntil('it waits for the lock', async () => (await api.waitingStatements()) === 1);
    leave();
    await waitUntil('it is gone', async () => (await api.waitingStatements()) === 0);
  });
  await waitUntil('its key is free', async () => (await api.ask(asking)).status === 202);
});

test('what changes something is carried out, whether its client waits or not', async () => {
  await api.whileLocked(async () => {
    const leave = api.send({ method: 'POST', path: '/v1/endpoints', body: { url: 'https://left.example' } });
    await waitUntil('it waits for the lock', async () => (await api.waitingStatements()) === 1);
    leave();
  });
  await waitUntil('it is there', async () =>
    (await api.ask({ path: '/v1/endpoints' })).text.includes('https://left.example'),
  );
});

test('five hundred clients who leave take no connection with them, and the next one is answered at once', async () => {
  await api.whileLocked(async () => {
    const leaving = Array.from({ length: 500 }, () => api.send({ path: '/v1/events' }));
    await waitUntil('some wait for the lock', async () => (await api.waitingStatements()) > 0);
    for (const leave of leaving) leave();
    // A cancel may come before its statement: that one would run to its time limit, of thirty seconds.
    await waitUntil('all are gone', async () => (await api.waitingStatements()) === 0, { timeoutMs: 15_000 });
  });
  const answers = await Promise.all(Array.from({ length: 10 }, () => api.ask({ path: '/v1/events' })));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});
