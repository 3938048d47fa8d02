import { createPostgres, type Postgres } from '#lib/postgres';
import { type Clock, createManualClock, silentLogger, systemClock } from '#lib/runtime';
import type { AppDeps } from '../../../services/api/app.ts';
import { createKeyDirectory } from '../../../services/api/keys/key-directory.ts';
import { createEventSearch } from '../../../services/api/searching/event-search.ts';
import { patientChecks } from '../../support/patient-checks.ts';
import { createDatabase } from '../../support/servers.ts';
import { closeApps, type Asking, listen } from '../../unit/api/ask.ts';
import { authorization, buildTestApp } from '../../unit/api/build-test-app.ts';

/** Its time stands still; those who wait do so in earnest. */
const stillClock = (): Clock => ({
  ...createManualClock(),
  monotonicMs: () => systemClock.monotonicMs(),
  sleep: (ms, signal) => systemClock.sleep(ms, signal),
});

/** The API over a database of its own, asked with the admin key. */
export async function openApi(given: Partial<AppDeps> = {}) {
  const databaseUrl = await createDatabase();
  const postgres: Postgres = createPostgres({
    url: databaseUrl,
    applicationName: 'hookline-test',
    maxConnections: 6,
    statementTimeoutMs: 10_000,
    isPipelined: 'on-request',
    log: silentLogger,
  });
  const keys = createKeyDirectory({ followPostgres: postgres, postgres, clock: systemClock, log: silentLogger });
  const search = createEventSearch({ database: { url: databaseUrl }, name: 'hookline-test', log: silentLogger });
  const schemaChecks = patientChecks();
  const { app, ask } = buildTestApp({
    postgres,
    search,
    schemaChecks,
    findKey: keys.find,
    clock: stillClock(),
    ...given,
  });
  return {
    /** For who asks it from another process. */
    url: async () => `http://127.0.0.1:${await listen(app)}`,
    databaseUrl,
    postgres,
    ask: (asking: Asking & { tenant?: string }) =>
      ask({
        ...asking,
        headers: {
          authorization,
          ...(asking.tenant === undefined ? {} : { 'hookline-tenant': asking.tenant }),
          ...(asking.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...asking.headers,
        },
      }),
    async close() {
      await closeApps();
      await search.start();
      await search.stop();
      await schemaChecks.start();
      await schemaChecks.stop();
      await postgres.start();
      await postgres.stop();
    },
  };
}

export type OpenApi = Awaited<ReturnType<typeof openApi>>;

/** The target of the answer's link to the next page, as a path. */
export function nextPath(link: string | undefined): string | undefined {
  const [, target] = /^<([^>]+)>; rel="next"$/.exec(link ?? '') ?? [];
  if (target === undefined) return undefined;
  const url = new URL(target);
  return url.pathname + url.search;
}
