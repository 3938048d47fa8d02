import { type Clock, formatMicros, nowMicros } from '#lib/runtime';
import type { PlannedType } from './plan-type.ts';
import type { Changing } from './type-transaction.ts';

/** The columns that a planned type has of its own. */
export const columnsOf = ({ content, words, bytes, published, before }: PlannedType, clock: Clock) => ({
  ...content,
  deprecation: deprecationJson(content.deprecation, before?.deprecation?.since ?? formatMicros(nowMicros(clock))),
  words,
  bytes,
  version: published?.version ?? before?.version ?? null,
});

const deprecationJson = (deprecation: PlannedType['content']['deprecation'], since: string): string | null =>
  deprecation && JSON.stringify({ since, ...deprecation });

const recordset = `jsonb_to_recordset($2::jsonb) AS r (id text, visibility text, category text, description text, notes text, words integer,
  enforce text, deprecation text, version integer, bytes integer)`;

/** Inserts those that are new. */
export const insertTypes = (changing: Changing, types: readonly PlannedType[]): Promise<void> =>
  write(
    changing,
    types.filter(({ before }) => before === undefined),
    `INSERT INTO event_types (tenant, id, visibility, category, description, notes, words, enforce, deprecation, version, bytes)
     SELECT $1, id, visibility, category, description, notes, words, enforce, deprecation::jsonb, version, bytes FROM ${recordset}`,
  );

/** Writes the others anew. */
export const updateTypes = (changing: Changing, types: readonly PlannedType[]): Promise<void> =>
  write(
    changing,
    types.filter(({ before }) => before !== undefined),
    `UPDATE event_types t
        SET visibility = r.visibility, category = r.category, description = r.description, notes = r.notes, words = r.words,
            enforce = r.enforce, deprecation = r.deprecation::jsonb, version = r.version, bytes = r.bytes,
            changed_at = clock_timestamp(), revision = t.revision + 1
       FROM ${recordset}
      WHERE t.tenant = $1 AND t.id = r.id`,
  );

async function write({ tx, tenant, clock }: Changing, types: readonly PlannedType[], statement: string): Promise<void> {
  if (types.length === 0) return;
  const rows = types.map((type) => ({ id: type.id, ...columnsOf(type, clock) }));
  await tx.query(statement, [tenant, JSON.stringify(rows)]);
}
