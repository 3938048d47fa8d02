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
import {
  contentErrors,
  type GivenType,
  givenType,
  type GivenVersion,
  nameErrors,
  typeContent,
  typeName,
} from './given-type.ts';
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
  /** Types that are not imported. */
  refused: { name: string; reason: string }[];
  /** Parts without which their types are imported: `example`, or a member of a type. */
  left_out: { name: string; part: string; reason: string }[];
}

/** A type that can be imported as far as it tells by itself. */
export interface PreparedType {
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

/**
 * Checks each type by itself, before anything is locked. Schemas that are published already are not checked again. One with a mistake is left out,
 * or is imported without the part that has it, if that is no schema.
 */
export async function prepareImport(
  postgres: Query,
  { tenant, checks, types }: { tenant: string; checks: SchemaChecks; types: readonly ImportedType[] },
  given: Given,
): Promise<{ prepared: PreparedType[] } & Pick<ImportReport, 'refused' | 'left_out'>> {
  const prepared: PreparedType[] = [];
  const [refused, leftOut]: [ImportReport['refused'], ImportReport['left_out']] = [[], []];
  for (const { name, content, version, mistake } of types) {
    const shownName = name.slice(0, 255).toWellFormed();
    const { visibility, category, breaking } = given;
    const read = readParts(
      { ...content, ...(visibility !== undefined && { visibility }), ...(category !== undefined && { category }) },
      given,
    );
    const wrong = [
      ...(isEventTypeName(name) ? nameErrors(name) : [{ field: '/name', message: `must be ${typeName.description}` }]),
      ...('errors' in read ? read.errors : []),
    ];
    const reasons = [...(mistake === undefined ? [] : [mistake]), ...(wrong.length > 0 ? [sentence(wrong)] : [])];
    if (reasons.length > 0 || 'errors' in read) {
      refused.push({ name: shownName, reason: reasons.join('; ') });
      continue;
    }
    const isKnown = await isPublished(postgres, tenant, name, version.schema);
    const asked = { ...version, ...(breaking !== undefined && { breaking }) };
    const checked = await prepareParts(asked, checks, isKnown);
    if (checked.errors.length > 0) {
      refused.push({ name: shownName, reason: sentence(checked.errors) });
      continue;
    }
    for (const { part, reason } of [...read.leftOut, ...checked.leftOut]) leftOut.push({ name, part, reason });
    prepared.push({ name, content: read.content, version: checked.version });
  }
  return { prepared, refused, left_out: leftOut };
}

type LeftOut = Omit<ImportReport['left_out'][number], 'name'>;

/** Reads the members that a document gives a type, without those that have a mistake. */
function readParts(
  content: Readonly<Record<string, unknown>>,
  { readContent }: Given,
): { content: GivenType; leftOut: LeftOut[] } | { errors: FieldErrors } {
  const read = readContent(content);
  const errors = 'errors' in read ? read.errors : contentErrors(typeContent(read.read));
  if (errors.length === 0 && 'read' in read) return { content: read.read, leftOut: [] };
  const memberOf = ({ field }: FieldErrors[number]): string => field.split('/')[1] ?? '';
  const parts = [...new Set(errors.map(memberOf))].filter((part) => Object.hasOwn(content, part));
  // With each call there is less of it.
  if (parts.length === 0) return { errors };
  const rest = readParts(Object.fromEntries(Object.entries(content).filter(([part]) => !parts.includes(part))), {
    readContent,
  });
  if ('errors' in rest) return rest;
  const said = parts.map((part) => ({ part, reason: sentence(errors.filter((error) => memberOf(error) === part)) }));
  return { content: rest.content, leftOut: [...said, ...rest.leftOut] };
}

/** A version; without its example, if it is only that which is wrong. @param isKnown the schema is published already */
async function prepareParts(
  given: GivenVersion,
  checks: SchemaChecks,
  isKnown: boolean,
): Promise<Awaited<ReturnType<typeof prepareVersion>> & { leftOut: LeftOut[] }> {
  // It matched when it was published.
  const trusted: SchemaChecks = { check: async () => ({ kind: 'match' }) };
  const { schema, version_notes, breaking } = given;
  const hasExample = Object.hasOwn(given, 'example');
  const checked = await prepareVersion(given, isKnown && !hasExample ? trusted : checks);
  const isOfExample = checked.errors.every(({ field }) => field === '/example' || field.startsWith('/example/'));
  if (checked.errors.length === 0 || !hasExample || !isOfExample) return { ...checked, leftOut: [] };
  const others = {
    schema,
    ...(version_notes !== undefined && { version_notes }),
    ...(breaking !== undefined && { breaking }),
  };
  const without = await prepareVersion(others, isKnown ? trusted : checks);
  return { ...without, leftOut: [{ part: 'example', reason: sentence(checked.errors) }] };
}

/** Writes all that can be written. */
export async function importTypes(changing: Changing, prepared: readonly PreparedType[]): Promise<ImportReport> {
  const report: ImportReport = { created: [], changed: [], unchanged: [], refused: [], left_out: [] };
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
