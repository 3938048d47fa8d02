/** A version is prepared before anything is locked: what it is, and how it differs from the newest one, comes from the thread of documents. */
import type { EventTypeField, SchemaDifference } from '#lib/api-contract';
import type { Query } from '#lib/postgres';
import { documentLimits, type DocumentJobs } from '#lib/schema-checks';
import { tooMuch } from '../http/read-documents.ts';
import type { FieldErrors } from '../http/send-problem.ts';
import { type NewestTexts, readNewest } from './versions.ts';

/** Texts are JSON. */
export interface GivenVersion {
  schema?: string;
  example?: string;
  version_notes?: string;
  breaking?: boolean;
}

export interface PreparedVersion {
  schema: string;
  /** `null`: none. */
  example: string;
  exampleGenerated: boolean;
  notes: string;
  /** It may break receivers. */
  breaking: boolean;
  /** The newest version when it was prepared; null: there was none. */
  comparedWith: number | null;
  /** Schema and example are those of that one. */
  isSame: boolean;
  differences: readonly SchemaDifference[];
  fields: readonly EventTypeField[];
  fieldsTruncated: boolean;
  fieldWords: number;
}

interface Whose {
  tenant: string;
  signal: AbortSignal;
}

export type Prepared = { version: PreparedVersion | undefined; errors: FieldErrors; tookMs: number };

/**
 * @param name of the type, if it may exist
 * @returns without a version if none is given
 * @throws AppError store_unavailable
 */
export async function prepareVersion(
  { postgres, documents }: { postgres: Query; documents: DocumentJobs },
  given: GivenVersion,
  { name, ...whose }: Whose & { name: string | undefined },
): Promise<Prepared> {
  const hasSchema = given.schema !== undefined;
  const newest = hasSchema && name !== undefined ? await readNewest(postgres, whose.tenant, [name]) : undefined;
  return prepareAgainst(documents, given, { ...whose, newest: newest?.get(name ?? '') });
}

/** The same against a version that is read already. */
export async function prepareAgainst(
  documents: DocumentJobs,
  { schema, example, version_notes: notes = '', breaking = false }: GivenVersion,
  { newest, ...whose }: Whose & { newest: NewestTexts | undefined },
): Promise<Prepared> {
  if (schema === undefined) {
    const errors =
      example === undefined ? [] : [{ field: '/schema', message: 'is required: the example must match it' }];
    return { version: undefined, errors, tookMs: 0 };
  }
  const before = newest && { schema: newest.schema, example: newest.example };
  const prepared = await documents.prepare({ schema, example, before }, whose);
  if ('kind' in prepared) {
    const message = tooMuch(prepared, 'to compile and to check: the limit of a schema');
    return { version: undefined, errors: [{ field: '/schema', message }], tookMs: documentLimits.schemaMs };
  }
  const { tookMs } = prepared;
  if ('errors' in prepared) return { version: undefined, errors: prepared.errors, tookMs };
  const { isSameSchema, isSameExample, differences, fields, fieldsTruncated, fieldWords } = prepared;
  // One that was made from the schema, by a version of before, stays.
  const isKept = isSameSchema && example === undefined && newest !== undefined;
  const version: PreparedVersion = {
    schema,
    notes,
    breaking,
    differences,
    fields,
    fieldsTruncated,
    fieldWords,
    example: isKept ? newest.example : (example ?? 'null'),
    exampleGenerated: isKept && newest.exampleGenerated,
    comparedWith: newest?.version ?? null,
    isSame: isSameSchema && (example === undefined || isSameExample),
  };
  return { version, errors: [], tookMs };
}

/** Fields that the newest version of one type has, and that of another lacks. A type without a version has none. @throws AppError store_unavailable */
export async function lackedBy(
  { postgres, documents }: { postgres: Query; documents: DocumentJobs },
  tenant: string,
  [one, other]: readonly [string, string],
): Promise<{ versions: readonly [number | null, number | null]; fields: readonly string[] }> {
  const newest = await readNewest(postgres, tenant, [one, other]);
  const [before, after] = [newest.get(one), newest.get(other)];
  const versions = [before?.version ?? null, after?.version ?? null] as const;
  if (before === undefined) return { versions, fields: [] };
  const lacked = await documents.lacked(before.schema, after?.schema ?? '{}', { tenant });
  if (Array.isArray(lacked)) return { versions, fields: lacked };
  return { versions, fields: [tooMuch(lacked, 'to compare')] };
}

/** Gives what is prepared already, and then prepares anew at each call. */
export function inTurn<T>(first: T, next: () => Promise<T>): () => Promise<T> {
  let isFirst = true;
  return async () => {
    if (!isFirst) return next();
    isFirst = false;
    return first;
  };
}
