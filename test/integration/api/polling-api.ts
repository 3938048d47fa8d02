import { Registry } from 'prom-client';
import { systemClock } from '#lib/clock';
import { silentLogger } from '#lib/log';
import { createPostgres, type Postgres } from '#lib/postgres';
import { parseEncryptionKeys } from '#lib/secret-box';
import { createApiMetrics } from '../../../services/api/metrics.ts';
import { createPolling } from '../../../services/api/polling/polling.ts';
import { createDatabase } from '../../support/servers.ts';
import { askAt, type Asking, closeApps, listen } from '../../unit/api/ask.ts';
import { authorization, buildTestApp } from '../../unit/api/build-test-app.ts';

const encryptionKeys = parseEncryptionKeys([`test:${Buffer.alloc(32, 7).toString('base64')}`]);
export const listenerName = 'hookline-test-listener';

/** The API over a database of its own, with the connection that hears of changes. */
export async function openPollingApi({ maxConnections = 6, maxHeldPerCredential = 20, maxHeld = 100 } = {}) {
  const databaseUrl = await createDatabase();
  const postgres: Postgres = createPostgres({
    url: databaseUrl,
    applicationName: 'hookline-test',
    maxConnections,
    statementTimeoutMs: 20_000,
    log: silentLogger,
  });
  // What is tested here is no power cut.
  await postgres.query(`ALTER DATABASE ${new URL(databaseUrl).pathname.slice(1)} SET synchronous_commit = off`);
  const closing = new AbortController();
  const registry = new Registry();
  const metrics = createApiMetrics(registry);
  const { polling, listener } = createPolling({
    postgres,
    databaseUrl,
    applicationName: listenerName,
    encryptionKeys,
    intervalSeconds: 5,
    maxHeldPerCredential,
    maxHeld,
    closing: closing.signal,
    clock: systemClock,
    log: silentLogger,
    metrics,
  });
  const { app } = buildTestApp({ postgres, polling, metrics, closing: closing.signal, clock: systemClock });
  const port = await listen(app);
  await listener.start();

  const valueOf = async (name: string): Promise<number> => {
    const metric = await registry.getSingleMetric(name)?.get();
    return metric?.values[0]?.value ?? Number.NaN;
  };
  return {
    postgres,
    closing,
    port,
    /** Requests that are held, or about to be. */
    waiting: () => valueOf('hookline_longpoll_waiting'),
    ask: ({ tenant, headers, ...asking }: Asking & { tenant: string }) =>
      askAt(port, { ...asking, headers: { authorization, 'hookline-tenant': tenant, ...headers } }),
    async close() {
      closing.abort();
      await listener.stop();
      await closeApps();
      await postgres.start();
      await postgres.stop();
    },
  };
}

export type PollingApi = Awaited<ReturnType<typeof openPollingApi>>;
