/**
 * What `enforce` of a type does to a published event: nothing, a tag, or a refusal. Whether a tenant enforces anything is remembered for a few
 * seconds, so that publishing costs no statement more; schemas are read when they are compiled.
 */
import type { Clock } from '#lib/clock';
import type { Tags } from '#lib/contract';
import { isAppError } from '#lib/errors';
import type { Query } from '#lib/postgres';
import type { FieldErrors } from '../http/send-problem.ts';
import type { SchemaChecks } from '../schema-checks/schema-checks.ts';

type Judged = { errors: FieldErrors } | { tags: Tags };

export interface Enforcement {
  /**
   * @param event `payload`: JSON text
   * @throws AppError data_invalid, bug
   */
  judge(event: { tenant: string; type: string; payload: string }): Promise<Judged>;
}

interface Deps {
  postgres: Query;
  checks: SchemaChecks;
  clock: Clock;
}

interface Enforced {
  typeId: string;
  version: number;
  enforce: 'tag' | 'reject';
}

const rememberedMs = 5_000;
const maxTenants = 1_000;

export function createEnforcement({ postgres, checks, clock }: Deps): Enforcement {
  const tenants = new Map<string, { until: number; types: Promise<ReadonlyMap<string, Enforced>> }>();

  /** Types that are enforced, by each of their names. */
  async function typesOf(tenant: string): Promise<ReadonlyMap<string, Enforced>> {
    const now = clock.monotonicMs();
    const known = tenants.get(tenant);
    if (known !== undefined && known.until > now) return known.types;
    const types = readEnforced(postgres, tenant);
    const remembered = { until: now + rememberedMs, types };
    tenants.delete(tenant);
    tenants.set(tenant, remembered);
    const [oldest] = tenants.keys();
    if (tenants.size > maxTenants && oldest !== undefined) tenants.delete(oldest);
    // The next request asks again.
    types.catch(() => tenants.get(tenant) === remembered && tenants.delete(tenant));
    return types;
  }

  return {
    async judge({ tenant, type, payload }): Promise<Judged> {
      const types = await typesOf(tenant).catch(unlessAway);
      if (types === undefined) return { tags: { schema: 'unjudged' } };
      const enforced = types.get(type);
      if (enforced === undefined) return { tags: {} };
      const { typeId, version, enforce } = enforced;
      const verdict = await checks.check({
        key: `${tenant}/${typeId}/${version}`,
        schema: () => readSchema(postgres, { tenant, typeId, version }),
        payload,
      });
      if (verdict.kind === 'match') return { tags: {} };
      if (verdict.kind !== 'mismatch') return { tags: { schema: 'unjudged' } };
      if (enforce === 'tag') return { tags: { schema: 'mismatch' } };
      return { errors: [{ field: `/payload${verdict.field}`, message: verdict.message }] };
    },
  };
}

/** With Postgres away nothing can be judged; whether the event can be stored is another question. */
function unlessAway(error: unknown): undefined {
  if (!isAppError(error, 'store_unavailable')) throw error;
}

async function readEnforced(postgres: Query, tenant: string): Promise<ReadonlyMap<string, Enforced>> {
  const rows = await postgres.query<{ name: string; id: string; version: number; enforce: 'tag' | 'reject' }>(
    `SELECT n.name, t.id, t.version, t.enforce
       FROM event_types t
       JOIN event_type_names n ON n.tenant = t.tenant AND n.type_id = t.id
      WHERE t.tenant = $1 AND t.enforce <> 'off' AND t.version IS NOT NULL AND t.retired_at IS NULL`,
    [tenant],
    'event_types_enforced',
  );
  return new Map(rows.map(({ name, id, version, enforce }) => [name, { typeId: id, version, enforce }]));
}

async function readSchema(
  postgres: Query,
  { tenant, typeId, version }: { tenant: string; typeId: string; version: number },
): Promise<string | undefined> {
  const [row] = await postgres.query<{ schema: string }>(
    `SELECT schema::text AS schema FROM event_type_versions WHERE tenant = $1 AND type_id = $2 AND version = $3`,
    [tenant, typeId, version],
  );
  return row?.schema;
}
