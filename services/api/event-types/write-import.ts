/**
 * Writes what an import has planned, in few statements: those with texts in pieces of a megabyte, so that no turn of the loop is long. The transaction
 * has a time limit, and ends when the client has left.
 */
import type { EventTypeSummary } from '#lib/api-contract';
import { isTimedOut, type Query } from '#lib/postgres';
import { AppError, type Clock } from '#lib/runtime';
import type { AuditedChange } from '../audit/index.ts';
import { insertChanges } from './changes.ts';
import { entriesOf, type PlannedType, textBytes } from './plan-type.ts';
import { type EventTypeRow, findEventTypes } from './queries.ts';
import { summariesOf } from './shown-types.ts';
import { type Changing, noteAudience } from './type-transaction.ts';
import { insertVersions, type NewVersion } from './versions.ts';
import { insertTypes, updateTypes } from './write-types.ts';

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
export async function writeImport(changing: Changing, types: readonly PlannedType[]): Promise<void> {
  const { tx, tenant } = changing;
  if (types.length === 0) return;
  const stored = types.flatMap(({ before }) => (before === undefined ? [] : [before]));
  const before = await viewsOf(changing, stored);
  await noteAudience(changing, ...stored.map(({ id }) => id));
  for (const some of pieces(types, ({ content }) => textBytes(content) + 1_000)) {
    await insertTypes(changing, some);
    await updateTypes(changing, some);
  }
  const created = types.filter((type) => type.before === undefined);
  await tx.query(
    `INSERT INTO event_type_names (tenant, name, type_id, kind)
     SELECT $1, name, id, 'current' FROM unnest($2::text[], $3::text[]) AS t (name, id)`,
    [tenant, created.map(({ name }) => name), created.map(({ id }) => id)],
  );
  await noteAudience(changing, ...types.map(({ id }) => id));
  const versions = types.flatMap(({ id: typeId, published }) => (published ? [{ ...published, typeId }] : []));
  const versionBytes = ({ schema, example, fields }: (typeof versions)[number]): number =>
    schema.length + example.length + 200 * fields.length;
  for (const some of pieces(versions, versionBytes)) await insertVersions(tx, tenant, some);
  const changes = types.flatMap(entriesOf);
  for (const some of pieces(changes, ({ notes }) => (notes ?? '').length + 300)) await insertChanges(changing, some);
  const names = types.map(({ name }) => name);
  const after = await viewsOf(changing, [...(await findEventTypes(tx, tenant, names)).values()]);
  const audited = types.map(({ id, name, published }): AuditedChange => {
    const was = before.get(name);
    const is = { ...after.get(name), ...(published && { newest: versionFacts(published) }) };
    return { id, ...(was !== undefined && { before: was }), after: is };
  });
  for (const some of pieces(audited, () => 10_000)) await changing.audits(some);
}

const versionFacts = ({ version, notes, compatibility, differences }: NewVersion) => ({
  version,
  notes,
  compatibility,
  differences,
});

async function viewsOf(
  { tx, tenant }: Changing,
  rows: readonly EventTypeRow[],
): Promise<ReadonlyMap<string, EventTypeSummary>> {
  const views = await summariesOf(tx, tenant, rows, 'internal');
  return new Map(views.map((view) => [view.name, view]));
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
