import type { EventTypeChange } from '#lib/api-contract';
import type { EventTypeVisibility, VersionCompatibility } from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { PageRequest } from '../http/paging.ts';
import { idPattern } from '../resources/ids.ts';
import { findLinks, visibleTo } from './queries.ts';
import { hiddenIn, withoutHidden } from './shown-types.ts';
import { linkedNames } from './type-texts.ts';

/** The facts of a change besides its kind and the name. */
interface ChangeFacts {
  version?: number;
  compatibility?: VersionCompatibility;
  from?: string | undefined;
  into?: string | undefined;
  notes?: string | null | undefined;
}

/** A change, and the name that its type has after it. */
export type NewChange = Pick<EventTypeChange, 'change' | 'name'> & ChangeFacts;

interface ChangeRow extends Pick<EventTypeChange, 'id' | 'at' | 'change' | 'name' | 'target' | 'visibility'> {
  facts: ChangeFacts;
}

export const changeId = idPattern('etc');

/** Changes as an audience sees them. */
export async function changesOf(
  postgres: Query,
  tenant: string,
  rows: readonly ChangeRow[],
  audience: EventTypeVisibility,
): Promise<EventTypeChange[]> {
  const written = rows.flatMap(({ facts: { from, into, notes } }) => [
    ...[from, into].filter((name) => name !== undefined),
    ...linkedNames(notes ?? ''),
  ]);
  const isHidden = hiddenIn(await findLinks(postgres, tenant, written), audience);
  const unlessHidden = (name: string | undefined) => (name !== undefined && isHidden(name) ? undefined : name);
  return rows.map(({ facts: { from, into, notes, ...facts }, ...row }) =>
    changeOf({
      ...row,
      facts: {
        ...facts,
        from: unlessHidden(from),
        into: unlessHidden(into),
        notes: notes == null ? notes : withoutHidden(notes, isHidden),
      },
    }),
  );
}

const changeOf = ({ facts, ...row }: ChangeRow): EventTypeChange => ({
  id: row.id,
  at: row.at,
  change: row.change,
  name: row.name,
  target: row.target,
  visibility: row.visibility,
  version: facts.version ?? null,
  compatibility: facts.compatibility ?? null,
  from: facts.from ?? null,
  into: facts.into ?? null,
  notes: facts.notes ?? null,
});

export async function insertChange(
  tx: Query,
  { tenant, id, typeId }: { tenant: string; id: string; typeId: string },
  { change, name, ...facts }: NewChange,
): Promise<void> {
  await tx.query(
    'INSERT INTO event_type_changes (tenant, id, type_id, change, name, facts) VALUES ($1, $2, $3, $4, $5, $6)',
    [tenant, id, typeId, change, name, JSON.stringify(facts)],
  );
}

/** In their order, by one statement. */
export async function insertChanges(
  tx: Query,
  tenant: string,
  changes: readonly (NewChange & { id: string; typeId: string })[],
): Promise<void> {
  const rows = changes.map(({ id, typeId, change, name, ...facts }) => ({ id, type_id: typeId, change, name, facts }));
  await tx.query(
    `INSERT INTO event_type_changes (tenant, id, type_id, change, name, facts)
     SELECT $1, c.value->>'id', c.value->>'type_id', c.value->>'change', c.value->>'name', c.value->'facts'
       FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS c (value, n)
      ORDER BY c.n`,
    [tenant, JSON.stringify(rows)],
  );
}

/** The newest first. One more than the page holds. */
export const listChanges = (
  postgres: Query,
  tenant: string,
  visibility: EventTypeVisibility,
  { after, limit }: PageRequest,
): Promise<ChangeRow[]> =>
  postgres.query<ChangeRow>(
    `SELECT c.id, c.at, c.change, c.name, c.facts, t.visibility, CASE WHEN t.retired_at IS NULL THEN n.name END AS target
       FROM event_type_changes c
       JOIN event_types own ON own.tenant = c.tenant AND own.id = c.type_id
       JOIN event_types t ON t.tenant = c.tenant AND t.id = coalesce(own.merged_into, own.id)
       JOIN event_type_names n ON n.tenant = t.tenant AND n.type_id = t.id AND n.kind = 'current'
       JOIN event_type_names called ON called.tenant = c.tenant AND called.name = c.name
      WHERE c.tenant = $1 AND ${visibleTo('$2')} AND ${visibleTo('$2', 'own.visibility')}
        AND ${visibleTo('$2', `CASE WHEN called.kind = 'current' THEN t.visibility ELSE coalesce(called.visibility, t.visibility) END`)}
        AND ($3::text IS NULL OR c.n < (SELECT n FROM event_type_changes WHERE tenant = $1 AND id = $3))
      ORDER BY c.n DESC
      LIMIT $4`,
    [tenant, visibility, after, limit + 1],
  );
