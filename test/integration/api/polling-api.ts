import { Registry } from 'prom-client';
import { createErasedEvents } from '#lib/erasure';
import { createPostgres, type Postgres } from '#lib/postgres';
import { inRounds, silentLogger, systemClock } from '#lib/runtime';
import { parseEncryptionKeys } from '#lib/secret-box';
import { createTenantLimits, noLimitSettings } from '#lib/tenancy';
import { createPolling, type Polling } from '../../../services/api/events/polling/polling.ts';
import { createKeyDirectory } from '../../../services/api/keys/key-directory.ts';
import { createSessionDirectory } from '../../../services/api/keys/session-directory.ts';
import { createWhyEnded, lookEveryMs } from '../../../services/api/keys/why-ended.ts';
import { createApiMetrics } from '../../../services/api/metrics.ts';
import { createDatabase } from '../../support/servers.ts';
import { withDatabase } from '../../support/with-database.ts';
import { askAt, type Asking, closeApps, listen } from '../../unit/api/ask.ts';
import { authorization, buildTestApp, testOperatorKeys } from '../../unit/api/build-test-app.ts';

const encryptionKeys = parseEncryptionKeys([`test:${Buffer.alloc(32, 7).toString('base64')}`]);
export const listenerName = 'hookline-test-listener';

interface Options {
  maxConnections?: number;
  maxHeldPerCredential?: number;
  maxHeld?: number;
  /** Keys, sessions and deleted tenants are known as they are to a process, and held requests end with them. */
  credentials?: boolean;
  /** Another's, to be a second process of the same API. */
  databaseUrl?: string;
  /** Prepares the database before any other session is opened on it. */
  prepare?(postgres: Postgres, database: string): Promise<void>;
}

/** The API over a database of its own, with the connection that hears of changes. */
export async function openPollingApi({
  maxConnections = 6,
  maxHeldPerCredential = 20,
  maxHeld = 100,
  credentials = false,
  databaseUrl: given,
  prepare,
}: Options = {}) {
  const databaseUrl = given ?? (await createDatabase());
  const postgres: Postgres = createPostgres({
    url: databaseUrl,
    applicationName: 'hookline-test',
    maxConnections,
    statementTimeoutMs: 20_000,
    log: silentLogger,
  });
  if (given === undefined) await prepareDatabase(databaseUrl, prepare);
  const closing = new AbortController();
  const registry = new Registry();
  const metrics = createApiMetrics(registry);
  const { polling, listener } = createPolling({
    postgres,
    database: { url: databaseUrl },
    applicationName: listenerName,
    encryptionKeys,
    intervalSeconds: 5,
    maxHeldPerCredential,
    maxHeld,
    limits: createTenantLimits(noLimitSettings),
    usage: { showShare: () => undefined },
    closing: closing.signal,
    clock: systemClock,
    log: silentLogger,
    metrics,
  });
  const known = credentials ? await followCredentials(postgres, polling) : undefined;
  const deps = { postgres, polling, metrics, closing: closing.signal, clock: systemClock };
  const { app } = buildTestApp({ ...deps, ...known?.deps });
  const port = await listen(app);
  await listener.start();

  const valueOf = async (name: string): Promise<number> => {
    const metric = await registry.getSingleMetric(name)?.get();
    return metric?.values[0]?.value ?? Number.NaN;
  };
  return {
    databaseUrl,
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
      await known?.stop();
      await closeApps();
      await postgres.start();
      await postgres.stop();
    },
  };
}

async function followCredentials(postgres: Postgres, { held }: Polling) {
  const deps = { followPostgres: postgres, postgres, clock: systemClock, log: silentLogger };
  const keys = createKeyDirectory(deps);
  const sessions = createSessionDirectory({
    ...deps,
    findKeyById: keys.findById,
    operatorKeys: testOperatorKeys,
    uses: { note: () => undefined },
  });
  const erased = createErasedEvents(deps);
  const whyEnded = createWhyEnded({ keys, sessions, erased });
  const rounds = inRounds(() => held.endRevoked(whyEnded), {
    name: 'callers of held requests',
    everyMs: lookEveryMs,
    clock: systemClock,
    log: silentLogger,
  });
  const parts = [keys, sessions, erased, rounds];
  for (const part of parts) await part.start();
  return {
    deps: { findKey: keys.find, findSession: sessions.find, erased, whyEnded },
    async stop(): Promise<void> {
      for (const part of parts.toReversed()) await part.stop();
    },
  };
}

function prepareDatabase(databaseUrl: string, prepare: Options['prepare']): Promise<void> {
  const database = new URL(databaseUrl).pathname.slice(1);
  return withDatabase(databaseUrl, async (first) => {
    // No power cut is tested here.
    await first.query(`ALTER DATABASE ${database} SET synchronous_commit = off`);
    await prepare?.(first, database);
  });
}

export type PollingApi = Awaited<ReturnType<typeof openPollingApi>>;
