/**
 * The headers that may be secrets and that endpoints want all the same, each named by itself in `pass_headers`. Of these the ingress seals the
 * values; of all others it keeps none. A name counts within two seconds of its endpoint's change, and known ones survive an outage of Postgres.
 */
import type { Clock } from '#lib/clock';
import { createPart, inRounds, type Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import type { Query } from '#lib/postgres';

export interface CredentialNames extends Part {
  /** In lower case; undefined if there are none, as of nearly all tenants. */
  of(tenant: string): ReadonlySet<string> | undefined;
}

interface Options {
  postgres: Query;
  clock: Clock;
  log: Logger;
}

const everyMs = 2_000;

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
  const rounds = inRounds(read, { name, everyMs, waitsFirst: true, clock, log });
  const part = createPart(
    name,
    async () => {
      // Without Postgres the ingress starts all the same, and passes none until it is there.
      await read().catch((error: unknown) => log.warn({ event: 'credential_names.unread', err: error }));
      await rounds.start();
    },
    rounds.stop,
  );
  return { ...part, of: (tenant) => known.get(tenant) };
}
