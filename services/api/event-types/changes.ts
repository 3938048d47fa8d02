import type { EventTypeChange } from '#lib/api-contract';
import type { EventTypeVisibility } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { createId } from '#lib/runtime';
import type { PageRequest } from '../http/paging.ts';
import { idPattern } from '../resources/ids.ts';
import type { RouteDeps } from '../route.ts';
import { findLinks, visibilityUnder, visibleTo } from './queries.ts';
import { hiddenIn, withoutHidden } from './shown-types.ts';
import { linkedNames } from './type-texts.ts';

/** The facts of a change besides its kind and the name. */
type ChangeFacts = Partial<Pick<EventTypeChange, 'version' | 'compatibility' | 'from' | 'into' | 'notes'>>;

/** A change, and the name that its type has after it. */
export type NewChange = Pick<EventTypeChange, 'change' | 'name'> & ChangeFacts;

type ChangeRow = Omit<EventTypeChange, keyof ChangeFacts> & { facts: ChangeFacts };

export const changeId = idPattern('etc');

/** Changes as an audience sees them. */
export async function changesOf(
  postgres: Query,
  tenant: string,
  rows: readonly ChangeRow[],
  audience: EventTypeVisibility,
): Promise<EventTypeChange[]> {
  const written = rows.flatMap(({ facts: { from, into, notes } }) => [
    ...[from, into].filter((name) => name != null),
    ...linkedNames(notes ?? ''),
  ]);
  const isHidden = hiddenIn(await findLinks(postgres, tenant, written), audience);
  const unlessHidden = (name: string | null) => (name !== null && isHidden(name) ? null : name);
  return rows.map(({ facts, ...row }) => {
    const { version = null, compatibility = null, from = null, into = null, notes = null } = facts;
    const shownNotes = notes === null ? null : withoutHidden(notes, isHidden);
    return { ...row, version, compatibility, from: unlessHidden(from), into: unlessHidden(into), notes: shownNotes };
  });
}

/** In their order, by one statement. */
export async function insertChanges(
  { tx, tenant, clock, random }: Pick<RouteDeps, 'clock' | 'random'> & { tx: Query; tenant: string },
  changes: readonly (NewChange & { typeId: string })[],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ typeId, change, name, ...facts }) => {
    const id = createId('etc', clock.nowMs(), random);
    return { id, type_id: typeId, change, name, facts };
  });
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
    `SELECT c.id, c.at, c.change, c.name, CASE WHEN t.retired_at IS NULL THEN n.name END AS target, t.visibility, c.facts
       FROM event_type_changes c
       JOIN event_types own ON own.tenant = c.tenant AND own.id = c.type_id
       JOIN event_types t ON t.tenant = c.tenant AND t.id = coalesce(own.merged_into, own.id)
       JOIN event_type_names n ON n.tenant = t.tenant AND n.type_id = t.id AND n.kind = 'current'
       JOIN event_type_names called ON called.tenant = c.tenant AND called.name = c.name
      WHERE c.tenant = $1 AND ${visibleTo('$2')} AND ${visibleTo('$2', 'own.visibility')}
        AND ${visibleTo('$2', visibilityUnder('called'))}
        AND ($3::text IS NULL OR c.n < (SELECT n FROM event_type_changes WHERE tenant = $1 AND id = $3))
      ORDER BY c.n DESC
      LIMIT $4`,
    [tenant, visibility, after, limit + 1],
  );
