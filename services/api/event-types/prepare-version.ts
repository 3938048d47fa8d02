/** A version is prepared before anything is locked: what it is, and how it differs from the newest one, comes from the thread of documents. */
import type { FastifyRequest } from 'fastify';
import type { EventTypeVersion } from '#lib/api-contract';
import { documentLimits, type DocumentJobs } from '#lib/schema-checks';
import { tooMuch } from '../http/read-documents.ts';
import type { FieldErrors } from '../http/send-problem.ts';
import type { RouteDeps } from '../route.ts';
import { type NewestTexts, readNewest, type VersionContent } from './versions.ts';

/** Texts are JSON. */
interface GivenVersion {
  schema?: string | undefined;
  example?: string | undefined;
  version_notes?: string | undefined;
  breaking?: boolean | undefined;
}

export interface PreparedVersion extends Pick<EventTypeVersion, 'differences'> {
  content: VersionContent;
  /** It may break receivers. */
  breaking: boolean;
  /** The newest version when it was prepared; null: there was none. */
  comparedWith: number | null;
  /** Schema and example are those of that one. */
  isSame: boolean;
  fieldWords: number;
}

export type Prepared = { version: PreparedVersion | undefined; errors: FieldErrors; tookMs: number };

type Deps = Pick<RouteDeps, 'postgres' | 'documents'>;

/**
 * The version that the body of a request gives.
 *
 * @param name of the type, if it may exist
 * @returns without a version if none is given
 * @throws AppError store_unavailable
 */
export async function prepareVersion(
  { postgres, documents }: Deps,
  { documents: given, tenant, left: signal }: Pick<FastifyRequest, 'documents' | 'tenant' | 'left'>,
  { version_notes, breaking }: Pick<GivenVersion, 'version_notes' | 'breaking'>,
  name = '',
): Promise<Prepared> {
  const { schema, example } = given.members;
  const newest = schema === undefined || name === '' ? undefined : await readNewest(postgres, tenant, [name]);
  const whose = { tenant, signal, newest: newest?.get(name) };
  return prepareAgainst(documents, { schema, example, version_notes, breaking }, whose);
}

/** The same against a version that is read already. */
export async function prepareAgainst(
  documents: DocumentJobs,
  { schema, example, version_notes: notes = '', breaking = false }: GivenVersion,
  { newest, ...whose }: { tenant: string; signal: AbortSignal; newest: NewestTexts | undefined },
): Promise<Prepared> {
  if (schema === undefined) {
    const errors =
      example === undefined ? [] : [{ field: '/schema', message: 'is required: the example must match it' }];
    return { version: undefined, errors, tookMs: 0 };
  }
  const prepared = await documents.prepare({ schema, example, before: newest }, whose);
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
    content: {
      schema,
      example: isKept ? newest.example : (example ?? 'null'),
      example_generated: isKept && newest.example_generated,
      notes,
      fields,
      fields_truncated: fieldsTruncated,
    },
    differences,
    breaking,
    comparedWith: newest?.version ?? null,
    isSame: isSameSchema && (example === undefined || isSameExample),
    fieldWords,
  };
  return { version, errors: [], tookMs };
}

/** Fields that the newest version of one type has, and that of another lacks, and which versions these are. */
export interface Lacked {
  versions: readonly [number | null, number | null];
  fields: readonly string[];
}

/** A type without a version has no fields. @throws AppError store_unavailable */
export async function lackedBy(
  { postgres, documents }: Deps,
  tenant: string,
  one: string,
  other: string,
): Promise<Lacked> {
  const newest = await readNewest(postgres, tenant, [one, other]);
  const [before, after] = [newest.get(one), newest.get(other)];
  const versions = [before?.version ?? null, after?.version ?? null] as const;
  if (before === undefined) return { versions, fields: [] };
  const lacked = await documents.lacked(before.schema, after?.schema ?? '{}', { tenant });
  return { versions, fields: Array.isArray(lacked) ? lacked : [tooMuch(lacked, 'to compare')] };
}
