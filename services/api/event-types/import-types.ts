import { isDeepStrictEqual } from 'node:util';
import {
  type EventTypeView,
  type EventTypeVisibility,
  isEventTypeName,
  type SchemaDifference,
  type VersionCompatibility,
} from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { FieldErrors, Read } from '../http/send-problem.ts';
import { findEventType } from '../resources/event-type.ts';
import { findVersion } from '../resources/event-type-version.ts';
import type { SchemaChecks } from '#lib/schema-checks';
import { createType, describeType } from './describe-type.ts';
import { contentErrors, type GivenType, givenType, nameErrors, typeContent } from './given-type.ts';
import { type PreparedVersion, prepareVersion } from './prepare-version.ts';
import type { ImportedType } from './read-document.ts';
import type { Changing, Refused } from './type-transaction.ts';

export interface ImportReport {
  created: string[];
  changed: {
    name: string;
    fields: string[];
    version: number | null;
    compatibility: VersionCompatibility | null;
    differences: SchemaDifference[];
  }[];
  unchanged: string[];
  refused: { name: string; reason: string }[];
}

/** A type that can be imported as far as it tells by itself. */
interface Prepared {
  name: string;
  content: GivenType;
  version: PreparedVersion | undefined;
}

interface Given {
  visibility?: EventTypeVisibility | undefined;
  category?: string | undefined;
  breaking?: boolean | undefined;
  /** Checks what a document says of a type, as that of a request. */
  readContent(content: unknown): Read<GivenType>;
}

/** Checks each type by itself, before anything is locked. Schemas that are published already are not checked again. */
export async function prepareImport(
  postgres: Query,
  { tenant, checks, types }: { tenant: string; checks: SchemaChecks; types: readonly ImportedType[] },
  given: Given,
): Promise<{ prepared: Prepared[]; refused: ImportReport['refused'] }> {
  const prepared: Prepared[] = [];
  const refused: ImportReport['refused'] = [];
  for (const { name, content, version } of types) {
    const { visibility, category, breaking } = given;
    const read = given.readContent({
      ...content,
      ...(visibility !== undefined && { visibility }),
      ...(category !== undefined && { category }),
    });
    const errors = [
      ...(isEventTypeName(name)
        ? nameErrors(name)
        : [{ field: '/name', message: 'is not a valid name of an event type' }]),
      ...('errors' in read ? read.errors : contentErrors(typeContent(read.read))),
    ];
    const isKnown = errors.length === 0 && (await isPublished(postgres, tenant, name, version.schema));
    // It matched when it was published.
    const trusted: SchemaChecks = { check: async () => ({ kind: 'match' }) };
    const checked = await prepareVersion(
      { ...version, ...(breaking !== undefined && { breaking }) },
      isKnown && !Object.hasOwn(version, 'example') ? trusted : checks,
    );
    const all = [...errors, ...checked.errors];
    if (all.length > 0 || 'errors' in read) refused.push({ name: name.slice(0, 128), reason: sentence(all) });
    else prepared.push({ name, content: read.read, version: checked.version });
  }
  return { prepared, refused };
}

/** Writes all that can be written. Whoever gets `refused` undoes it. */
export async function importTypes(changing: Changing, prepared: readonly Prepared[]): Promise<ImportReport> {
  const report: ImportReport = { created: [], changed: [], unchanged: [], refused: [] };
  const linkable = new Set(prepared.map(({ name }) => name));
  for (const { name, content, version } of prepared) {
    const isThere = (await findEventType(changing.tx, changing.tenant, name)) !== undefined;
    const result = isThere
      ? await describeType(changing, {
          name,
          version,
          linkable,
          content: (stored) => typeContent({ ...givenType(stored), ...content }),
        })
      : await createType(changing, { name, content: typeContent(content), version, linkable });
    if (!('type' in result)) report.refused.push({ name, reason: reasonOf(result) });
    else if (result.isNew) report.created.push(name);
    else if (!result.changed) report.unchanged.push(name);
    else report.changed.push(changeOf(result.type, result.before));
  }
  return report;
}

const compared = ['description', 'notes', 'category', 'visibility', 'enforce', 'deprecation'] as const;

function changeOf(type: EventTypeView, before: EventTypeView | undefined): ImportReport['changed'][number] {
  const isPublished = type.version !== before?.version;
  return {
    name: type.name,
    fields: compared.filter((field) => !isDeepStrictEqual(type[field], before?.[field])),
    version: isPublished ? type.version : null,
    compatibility: isPublished ? (type.newest?.compatibility ?? null) : null,
    differences: isPublished ? (type.newest?.differences ?? []) : [],
  };
}

async function isPublished(postgres: Query, tenant: string, name: string, schema: unknown): Promise<boolean> {
  const found = await findEventType(postgres, tenant, name);
  if (found === undefined || found.version === null) return false;
  return isDeepStrictEqual((await findVersion(postgres, tenant, found.id, found.version))?.schema, schema);
}

function reasonOf(refused: Refused): string {
  if ('errors' in refused) return sentence(refused.errors);
  if ('limit' in refused) return `the limit ${refused.limit} is reached`;
  return refused.detail ?? refused.refused;
}

const sentence = (errors: FieldErrors): string => errors.map(({ field, message }) => `${field} ${message}`).join('; ');
