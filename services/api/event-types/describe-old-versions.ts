import { inRounds, type Part } from '#lib/runtime';
import type { RouteDeps } from '../route.ts';

const everyMs = 60_000;
/** Schemas of at most 64 kB each. */
const versionsAtOnce = 20;

type Deps = Pick<RouteDeps, 'postgres' | 'documents'>;

interface OldVersion {
  tenant: string;
  type_id: string;
  version: number;
  schema: string;
}

/**
 * Finds the fields of versions that were published before fields were kept, a few at a time, as long as there are any. Several processes may come to the
 * same one: it has the same fields. One whose schema goes beyond the limits has none.
 */
export const describeOldVersions = ({ clock, log, ...deps }: Deps & Pick<RouteDeps, 'clock' | 'log'>): Part =>
  inRounds((signal) => describeVersions(deps, signal), { name: 'fields of old versions', everyMs, clock, log });

export async function describeVersions({ postgres, documents }: Deps, signal: AbortSignal): Promise<void> {
  for (let found = versionsAtOnce; found === versionsAtOnce && !signal.aborted;) {
    const old = await postgres.query<OldVersion>(
      `SELECT tenant, type_id, version, schema::text AS schema
         FROM event_type_versions
        WHERE fields IS NULL
        ORDER BY tenant, type_id, version
        LIMIT $1`,
      [versionsAtOnce],
    );
    found = old.length;
    for (const { tenant, type_id: typeId, version, schema } of old) {
      const facts = await documents.describe(schema, { tenant, signal });
      // The next round goes on.
      if ('kind' in facts && facts.reason !== 'too_much') return;
      const { fields, fieldsTruncated } = 'kind' in facts ? { fields: [], fieldsTruncated: true } : facts;
      await postgres.query(
        `UPDATE event_type_versions SET fields = $4, fields_truncated = $5
          WHERE tenant = $1 AND type_id = $2 AND version = $3 AND fields IS NULL`,
        [tenant, typeId, version, JSON.stringify(fields), fieldsTruncated],
      );
    }
  }
}
