/**
 * Validates events by the schemas of their types, where the tenant enforces them: `enforce` of a type. Which types those are is remembered for a few
 * seconds, so that an event costs no statement more; schemas are read when they are compiled.
 *
 * A webhook is never lost by this: what can't be validated, because Postgres is away or the check takes too long, is `unjudged`; whether an event that is
 * published is taken then is its publisher's to say (services/api/events/publishing/refuse-unvalidated.ts). A batch has a time limit of its own: slow schemas of many
 * tenants, each within its share, would add up.
 */
import type { EventTypeEnforcement, Tags } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { type Clock, isAppError } from '#lib/runtime';
import type { SchemaChecks } from './schema-checks.ts';

interface EventToValidate {
  tenant: string;
  /** A name of its type: the current one, or one of before. */
  type: string;
  /** Its payload; asked for where it is validated. @returns undefined if it can't be read */
  text(): string | undefined | Promise<string | undefined>;
}

export type Validated =
  /** It matches, or nobody asked. */
  | { kind: 'accepted' }
  /** `field`: a JSON pointer in the payload. */
  | { kind: 'mismatch'; enforce: Enforced['enforce']; field: string; message: string }
  /** `enforce`: undefined where the types of the tenant can't be read. `reason`: `too_slow` and `invalid` are the schema's own, and stay. */
  | { kind: 'unjudged'; enforce: Enforced['enforce'] | undefined; reason: 'too_slow' | 'invalid' | 'busy' };

export interface Enforcement {
  /** @throws AppError bug, data_invalid */
  validate(event: EventToValidate): Promise<Validated>;
  /** @returns in their order; `unjudged` for what is to be checked and has no turn within two seconds. @throws AppError bug, data_invalid */
  validateAll(events: readonly EventToValidate[]): Promise<Validated[]>;
}

/** The tag of an event that is taken all the same. */
export const schemaTagOf = ({ kind }: Validated): Tags => (kind === 'accepted' ? {} : { schema: kind });

interface Deps {
  postgres: Query;
  checks: SchemaChecks;
  clock: Clock;
}

interface Enforced {
  typeId: string;
  version: number;
  enforce: Exclude<EventTypeEnforcement, 'off'>;
}

/** By each of their names. */
type EnforcedTypes = ReadonlyMap<string, Enforced>;

const rememberedMs = 5_000;
const maxTenants = 1_000;
/** No check of a batch begins later. */
const batchMs = 2_000;

export function createEnforcement({ postgres, checks, clock }: Deps): Enforcement {
  const remembered = new Map<string, { untilMs: number; types: Promise<EnforcedTypes> }>();

  /** Reads with one statement what is not remembered. */
  function typesOf(tenants: ReadonlySet<string>): ReadonlyMap<string, Promise<EnforcedTypes>> {
    const nowMs = clock.monotonicMs();
    const isKnown = (tenant: string): boolean => (remembered.get(tenant)?.untilMs ?? 0) > nowMs;
    const asked = [...tenants].filter((tenant) => !isKnown(tenant));
    const read = asked.length === 0 ? undefined : readEnforced(postgres, asked);
    for (const tenant of asked) {
      const types = (read as NonNullable<typeof read>).then((found) => found.get(tenant) ?? none);
      const entry = { untilMs: nowMs + rememberedMs, types };
      // The next event asks again.
      types.catch(() => remembered.get(tenant) === entry && remembered.delete(tenant));
      remembered.delete(tenant);
      remembered.set(tenant, entry);
    }
    const types = new Map(
      [...tenants].map((tenant) => [tenant, remembered.get(tenant)?.types ?? Promise.resolve(none)]),
    );
    for (const oldest of remembered.keys()) {
      if (remembered.size <= maxTenants) break;
      remembered.delete(oldest);
    }
    return types;
  }

  async function validateOne(
    { tenant, type, text }: EventToValidate,
    types: Promise<EnforcedTypes> | undefined,
    untilMs = Infinity,
  ): Promise<Validated> {
    const known = await types?.catch(unlessAway);
    if (known === undefined) return { kind: 'unjudged', enforce: undefined, reason: 'busy' };
    const enforced = known.get(type);
    if (enforced === undefined) return { kind: 'accepted' };
    const { typeId, version, enforce } = enforced;
    if (clock.monotonicMs() >= untilMs) return { kind: 'unjudged', enforce, reason: 'busy' };
    const payload = await text();
    if (payload === undefined) return { kind: 'unjudged', enforce, reason: 'busy' };
    const verdict = await checks.check({
      tenant,
      key: `${tenant}/${typeId}/${version}`,
      schema: () => readSchema(postgres, { tenant, typeId, version }),
      payload,
    });
    if (verdict.kind === 'match') return { kind: 'accepted' };
    if (verdict.kind === 'invalid_schema') return { kind: 'unjudged', enforce, reason: 'invalid' };
    if (verdict.kind === 'unjudged')
      return { kind: 'unjudged', enforce, reason: verdict.reason === 'too_slow' ? 'too_slow' : 'busy' };
    return { kind: 'mismatch', enforce, field: verdict.field, message: verdict.message };
  }

  return {
    validate: (event) => validateOne(event, typesOf(new Set([event.tenant])).get(event.tenant)),
    async validateAll(events) {
      const types = typesOf(new Set(events.map(({ tenant }) => tenant)));
      const untilMs = clock.monotonicMs() + batchMs;
      const validated: Validated[] = [];
      // One after the other: so does the thread, and only so many may wait for it.
      for (const event of events) validated.push(await validateOne(event, types.get(event.tenant), untilMs));
      return validated;
    },
  };
}

const none: EnforcedTypes = new Map();

/** With Postgres away nothing can be validated; whether the event can be stored is another question. */
function unlessAway(error: unknown): undefined {
  if (!isAppError(error, 'store_unavailable')) throw error;
}

async function readEnforced(postgres: Query, tenants: readonly string[]): Promise<ReadonlyMap<string, EnforcedTypes>> {
  const rows = await postgres.query<{
    tenant: string;
    name: string;
    id: string;
    version: number;
    enforce: Enforced['enforce'];
  }>(
    `SELECT t.tenant, n.name, t.id, t.version, t.enforce
       FROM event_types t
       JOIN event_type_names n ON n.tenant = t.tenant AND n.type_id = t.id
      WHERE t.tenant = ANY($1) AND t.enforce <> 'off' AND t.version IS NOT NULL AND t.retired_at IS NULL`,
    [tenants],
    'event_types_enforced',
  );
  const found = new Map<string, Map<string, Enforced>>();
  for (const { tenant, name, id, version, enforce } of rows) {
    const types = found.get(tenant) ?? new Map<string, Enforced>();
    found.set(tenant, types.set(name, { typeId: id, version, enforce }));
  }
  return found;
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
