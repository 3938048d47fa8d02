/**
 * The headers that may be secrets and that endpoints want all the same, each named by itself in `pass_headers`. Of these the ingress seals the
 * values; of all others it keeps none. A webhook finds a reading that is at most 1.5 s old, so a name counts from its endpoint's `effective_at` on, and
 * known ones survive an outage of Postgres.
 */
import { createReadings, type Query, type Readings } from '#lib/postgres';
import { type Clock, createPart, type Logger, type Part, toAppError } from '#lib/runtime';

export interface CredentialNames extends Part, Pick<Readings, 'recent'> {
  /** In lower case; undefined if there are none, as of nearly all tenants. */
  of(tenant: string): ReadonlySet<string> | undefined;
}

interface Options {
  postgres: Query;
  clock: Clock;
  log: Logger;
}

/** Senders wait for it. A reading takes milliseconds. */
const waitMs = 250;

/** From each tenant and list of names to the next: it costs nothing where there are none, and never depends on the number of endpoints. */
const readNames = `
  WITH RECURSIVE named AS (
    (SELECT tenant, passed_credentials(settings) AS names FROM endpoints
      WHERE passed_credentials(settings) IS NOT NULL AND deleted_at IS NULL
      ORDER BY tenant, passed_credentials(settings) LIMIT 1)
    UNION ALL
    SELECT next.tenant, next.names
      FROM named
     CROSS JOIN LATERAL (
       SELECT tenant, passed_credentials(settings) AS names FROM endpoints
        WHERE passed_credentials(settings) IS NOT NULL AND deleted_at IS NULL
          AND (tenant, passed_credentials(settings)) > (named.tenant, named.names)
        ORDER BY tenant, passed_credentials(settings) LIMIT 1) AS next
  )
  SELECT tenant, names FROM named`;

export function createCredentialNames({ postgres, clock, log }: Options): CredentialNames {
  let known: ReadonlyMap<string, ReadonlySet<string>> = new Map();

  async function read(): Promise<void> {
    const rows = await postgres.query<{ tenant: string; names: string[] }>(readNames);
    const found = new Map<string, Set<string>>();
    for (const { tenant, names } of rows) found.set(tenant, new Set([...(found.get(tenant) ?? []), ...names]));
    known = found;
  }

  const name = 'credential names';
  const unread = (error: unknown): void => log.warn({ event: 'credential_names.unread', err: toAppError(error) });
  const { resting, refresh, recent } = createReadings({ name, read, onFailed: unread, waitMs, clock, log });
  const part = createPart(
    name,
    async () => {
      // Without Postgres the ingress starts all the same, and passes none until it is there.
      await refresh().catch(unread);
      await resting.start();
    },
    resting.stop,
  );
  return { ...part, recent, of: (tenant) => known.get(tenant) };
}
