/**
 * Writes what an import has planned, in few statements: those with texts in pieces of a megabyte, so that no turn of the loop is long. The transaction
 * has a time limit, and ends when the client has left.
 */
import { isTimedOut, type Query } from '#lib/postgres';
import { AppError, type Clock, createId } from '#lib/runtime';
import type { AuditedChange } from '../audit/index.ts';
import { insertChanges } from './changes.ts';
import { deprecationJson, textBytes } from './describe-type.ts';
import type { ImportPlan, PlannedType } from './plan-import.ts';
import { type EventTypeRow, findEventTypes } from './queries.ts';
import { summariesOf } from './shown-types.ts';
import { type Changing, noteAudience } from './type-transaction.ts';
import { insertVersions } from './versions.ts';

/** From when it has the lock of the tenant's types. */
const importTransactionMs = 2_000;
const bytesAtOnce = 1024 * 1024;
const rowsAtOnce = 200;

/** The import is larger than what a transaction may write. */
export class WritesTooLong extends Error {
  constructor() {
    super(`takes more than ${importTransactionMs} ms to write, the limit of an import: divide it`);
  }
}

/**
 * The transaction with a limit to all its statements.
 *
 * @throws from a statement, WritesTooLong; AppError store_unavailable when the client has left
 */
export async function limited(tx: Query, clock: Clock, signal: AbortSignal): Promise<Query> {
  const untilMs = clock.monotonicMs() + importTransactionMs;
  await tx.query(`SELECT set_config('statement_timeout', $1, true)`, [String(importTransactionMs)]);
  return {
    async query(...statement) {
      if (signal.aborted) throw new AppError('store_unavailable', 'the client has left');
      if (clock.monotonicMs() > untilMs) throw new WritesTooLong();
      try {
        return await tx.query(...statement);
      } catch (error) {
        throw isTimedOut(error) ? new WritesTooLong() : error;
      }
    },
  };
}

/** @param changing with the limited transaction */
export async function writeImport(changing: Changing, { types }: ImportPlan): Promise<void> {
  const { tx, tenant } = changing;
  if (types.length === 0) return;
  const stored = types.flatMap(({ before }) => (before === undefined ? [] : [before]));
  const before = await viewsOf(changing, stored);
  await noteAudience(changing, ...stored.map(({ id }) => id));
  for (const some of pieces(types, ({ content }) => textBytes(content) + 1_000)) {
    await insertTypes(changing, some);
    await updateTypes(changing, some);
  }
  await tx.query(
    `INSERT INTO event_type_names (tenant, name, type_id, kind)
     SELECT $1, name, id, 'current' FROM unnest($2::text[], $3::text[]) AS t (name, id)`,
    [tenant, ...columnsOf(types.filter((type) => type.before === undefined))],
  );
  await noteAudience(changing, ...types.map(({ id }) => id));
  const versions = types.flatMap(({ id, published }) =>
    published === undefined ? [] : [{ ...published, typeId: id }],
  );
  for (const some of pieces(
    versions,
    ({ schema, example, fields }) => schema.length + example.length + 200 * fields.length,
  ))
    await insertVersions(tx, tenant, some);
  const changes = types.flatMap((type) => entriesOf(changing, type));
  for (const some of pieces(changes, ({ notes }) => (notes ?? '').length + 300)) await insertChanges(tx, tenant, some);
  const after = await viewsOf(changing, [
    ...(
      await findEventTypes(
        tx,
        tenant,
        types.map(({ name }) => name),
      )
    ).values(),
  ]);
  const audited = types.map(({ id, name, published }): AuditedChange => {
    const was = before.get(name);
    const newest = published && versionFacts(published);
    const is = { ...after.get(name), ...(newest !== undefined && { newest }) };
    return { id, ...(was !== undefined && { before: was }), after: is };
  });
  for (const some of pieces(audited, () => 10_000)) await changing.audits(some);
}

const columnsOf = (types: readonly PlannedType[]): [names: string[], ids: string[]] => [
  types.map(({ name }) => name),
  types.map(({ id }) => id),
];

const versionFacts = ({ version, notes, compatibility, differences }: NonNullable<PlannedType['published']>) => ({
  version,
  notes,
  compatibility,
  differences,
});

async function viewsOf(
  { tx, tenant }: Changing,
  rows: readonly EventTypeRow[],
): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const views = await summariesOf(tx, tenant, rows, 'internal');
  return new Map(views.map((view) => [view.name, { ...view }]));
}

const rowOf =
  (changing: Pick<Changing, 'clock'>) =>
  ({ id, content, words, bytes, published, before }: PlannedType) => ({
    id,
    words,
    bytes,
    visibility: content.visibility,
    category: content.category,
    enforce: content.enforce,
    description: content.description,
    notes: content.notes,
    deprecation: JSON.parse(deprecationJson(changing, content, before ?? null) ?? 'null') as unknown,
    version: published?.version ?? before?.version ?? null,
  });

const recordset = `jsonb_to_recordset($2::jsonb) AS r (id text, visibility text, category text, description text, notes text, words integer,
  enforce text, deprecation jsonb, version integer, bytes integer)`;

async function insertTypes(changing: Changing, types: readonly PlannedType[]): Promise<void> {
  const rows = types.filter(({ before }) => before === undefined).map(rowOf(changing));
  if (rows.length === 0) return;
  await changing.tx.query(
    `INSERT INTO event_types (tenant, id, visibility, category, description, notes, words, enforce, deprecation, version, bytes)
     SELECT $1, id, visibility, category, description, notes, words, enforce, ${orNull('deprecation')}, version, bytes FROM ${recordset}`,
    [changing.tenant, JSON.stringify(rows)],
  );
}

async function updateTypes(changing: Changing, types: readonly PlannedType[]): Promise<void> {
  const rows = types.filter(({ before }) => before !== undefined).map(rowOf(changing));
  if (rows.length === 0) return;
  await changing.tx.query(
    `UPDATE event_types t
        SET visibility = r.visibility, category = r.category, description = r.description, notes = r.notes, words = r.words,
            enforce = r.enforce, deprecation = ${orNull('r.deprecation')}, version = r.version, bytes = r.bytes,
            changed_at = clock_timestamp(), revision = t.revision + 1
       FROM ${recordset}
      WHERE t.tenant = $1 AND t.id = r.id`,
    [changing.tenant, JSON.stringify(rows)],
  );
}

/** A member that is null is a JSON null, which is no NULL. */
const orNull = (column: string): string => `nullif(${column}, 'null'::jsonb)`;

function entriesOf({ clock, random }: Changing, { id: typeId, name, content, published, before }: PlannedType) {
  const change = (facts: {
    change: 'created' | 'described' | 'deprecated' | 'undeprecated' | 'version';
    notes?: string | null;
  }) => ({
    id: createId('etc', clock.nowMs(), random),
    typeId,
    name,
    ...facts,
  });
  const { deprecation } = content;
  const version = published && {
    ...change({ change: 'version', notes: published.notes }),
    version: published.version,
    compatibility: published.compatibility,
  };
  return [
    ...(before === undefined ? [change({ change: 'created' })] : []),
    ...(before !== undefined && (before.description !== content.description || before.notes !== content.notes)
      ? [change({ change: 'described' })]
      : []),
    ...(before !== undefined && (before.deprecation === null) !== (deprecation === null)
      ? [
          change({
            change: deprecation === null ? 'undeprecated' : 'deprecated',
            notes: deprecation?.reason ?? null,
          }),
        ]
      : []),
    ...(version === undefined ? [] : [version]),
  ];
}

/** In order, each of at most a megabyte. */
function* pieces<T>(rows: readonly T[], bytesOf: (row: T) => number): Generator<T[]> {
  let [some, bytes]: [T[], number] = [[], 0];
  for (const row of rows) {
    if (some.length > 0 && (bytes + bytesOf(row) > bytesAtOnce || some.length === rowsAtOnce)) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(row);
    bytes += bytesOf(row);
  }
  if (some.length > 0) yield some;
}
