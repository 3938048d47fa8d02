import { isDeepStrictEqual } from 'node:util';
import type { TypeLink } from '#lib/api-contract';
import { isWrittenLikeTypeName } from '#lib/contract';
import { createId, formatMicros, nowMicros } from '#lib/runtime';
import { wordsIn } from '#lib/schema-checks';
import type { FieldErrors } from '../http/send-problem.ts';
import { decideNames } from './decide-names.ts';
import type { TypeContent } from './given-type.ts';
import type { PreparedVersion } from './prepare-version.ts';
import { type EventTypeRow, findLinks } from './queries.ts';
import { eventTypeOf } from './shown-types.ts';
import { countWords, linkedNames } from './type-texts.ts';
import {
  type Changing,
  findLive,
  finish,
  limitOf,
  note,
  noteAudience,
  readNames,
  type Refused,
  set,
  type Stale,
  type TypeChanged,
  unchanged,
  writeNames,
} from './type-transaction.ts';
import { findNewestFacts, insertVersions, type NewVersion, type VersionFacts } from './versions.ts';

export interface Described {
  name: string;
  content: TypeContent;
  version: PreparedVersion | undefined;
  /** Names that texts may link to besides those that there are: they come with it. */
  linkable?: ReadonlySet<string>;
}

interface Describing extends Omit<Described, 'content'> {
  ifMatch?: string | undefined;
  /** @param stored what it is now */
  content(stored: TypeContent): TypeContent | { errors: FieldErrors };
}

/** Creates a type. */
export async function createType(changing: Changing, describing: Described): Promise<TypeChanged | Refused> {
  const { tx, tenant, clock, random } = changing;
  const { name, content, version } = describing;
  const typeId = createId('typ', clock.nowMs(), random);
  const decision = decideNames(await readNames(tx, tenant, [name]), { do: 'create', name, typeId });
  if (decision.kind === 'refused') return { refused: decision.code, detail: decision.detail };
  const errors = await linkErrors(changing, describing);
  if (errors.length > 0) return { errors };
  const bytes = 500 + textBytes(content) + versionBytes(version);
  const limit = await limitOf(changing, { types: 1, bytes });
  if (limit !== undefined) return { limit };

  await tx.query(
    `INSERT INTO event_types (tenant, id, visibility, category, description, notes, words, enforce, deprecation, version, bytes)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      ...[tenant, typeId, content.visibility, content.category, content.description, content.notes],
      ...[countWords(content, wordsOf(version)), content.enforce, deprecationJson(changing, content, null)],
      ...[version === undefined ? null : 1, bytes],
    ],
  );
  await writeNames(changing, decision.names);
  await note(changing, typeId, { change: 'created', name });
  if (version !== undefined) {
    await insertVersions(tx, tenant, [{ ...firstVersion(version), typeId }]);
    await note(changing, typeId, {
      change: 'version',
      name,
      version: 1,
      compatibility: 'initial',
      notes: version.notes,
    });
  }
  return finish(changing, name, { isNew: true });
}

/** Changes a type to this; the version is published if it differs from the newest one. */
export async function describeType(
  changing: Changing,
  { ifMatch, ...describing }: Describing,
): Promise<TypeChanged | Refused | Stale> {
  const { tx, tenant } = changing;
  const { name, version } = describing;
  const found = await findLive(changing, { name, ifMatch });
  if ('refused' in found) return found;
  const content = describing.content(contentOf(found));
  if ('errors' in content) return content;
  const errors = await linkErrors(changing, { ...describing, content });
  if (errors.length > 0) return { errors };

  if (version !== undefined && version.comparedWith !== found.version) return { stale: true };
  const newest = version === undefined ? undefined : (await findNewestFacts(tx, tenant, [found.id])).get(found.id);
  const published = version === undefined ? undefined : nextVersion(newest, version);
  if (published !== undefined && 'refused' in published) return published;
  const bytes =
    found.bytes + textBytes(content) - textBytes(found) + (published === undefined ? 0 : versionBytes(version));
  const isSame = isDeepStrictEqual(contentOf(found), content);
  if (isSame && published === undefined) return unchanged(changing, found);
  const limit = bytes > found.bytes ? await limitOf(changing, { types: 0, bytes: bytes - found.bytes }) : undefined;
  if (limit !== undefined) return { limit };

  const before = await eventTypeOf(tx, tenant, found);
  if (found.visibility !== content.visibility) await noteAudience(changing, found.id);
  await set(changing, found.id, {
    visibility: content.visibility,
    category: content.category,
    description: content.description,
    notes: content.notes,
    words: countWords(content, published === undefined ? wordsBeside(found) : wordsOf(version)),
    enforce: content.enforce,
    deprecation: deprecationJson(changing, content, found),
    version: published?.version ?? found.version,
    bytes,
  });
  if (found.description !== content.description || found.notes !== content.notes)
    await note(changing, found.id, { change: 'described', name });
  if ((found.deprecation === null) !== (content.deprecation === null))
    await note(changing, found.id, {
      change: content.deprecation === null ? 'undeprecated' : 'deprecated',
      name,
      notes: content.deprecation?.reason ?? null,
    });
  if (published !== undefined) {
    await insertVersions(tx, tenant, [{ ...published, typeId: found.id }]);
    const { version: n, compatibility, notes } = published;
    await note(changing, found.id, { change: 'version', name, version: n, compatibility, notes });
  }
  return finish(changing, name, { before });
}

export const firstVersion = (version: PreparedVersion): NewVersion => ({
  ...rowOf(version),
  version: 1,
  compatibility: 'initial',
  differences: [],
});

/** The next version with what it changes; undefined: the newest one is the same. */
export function nextVersion(
  newest: VersionFacts | undefined,
  version: PreparedVersion,
): NewVersion | undefined | { refused: 'conflict'; detail: string } {
  if (newest === undefined) return firstVersion(version);
  if (version.isSame && (version.notes === '' || version.notes === newest.notes)) return undefined;
  const { differences } = version;
  const breaks = differences.filter(({ breaking }) => breaking);
  if (breaks.length > 0 && !version.breaking)
    return {
      refused: 'conflict',
      detail: `The schema breaks receivers: ${breaks
        .slice(0, 10)
        .map(({ field, change }) => `${field === '' ? '(payload)' : field} ${change}`)
        .join(', ')}. Publish it with breaking: true`,
    };
  const compatibility = breaks.length > 0 ? 'breaking' : 'compatible';
  return { ...rowOf(version), version: newest.version + 1, compatibility, differences };
}

const rowOf = (version: PreparedVersion) => ({
  schema: version.schema,
  example: version.example,
  example_generated: version.exampleGenerated,
  notes: version.notes,
  fields: version.fields,
  fields_truncated: version.fieldsTruncated,
});

export const wordsOf = (version: PreparedVersion | undefined): number =>
  version === undefined ? 0 : wordsIn(version.notes) + version.fieldWords;

/** The words of a stored type that are its version's. */
export const wordsBeside = ({ words, description, notes }: EventTypeRow): number =>
  Math.max(0, words - wordsIn(description) - wordsIn(notes));

/** Names that its texts link to, by where they are written; and its successor. */
export function linksOf({ content, version }: Pick<Described, 'content' | 'version'>) {
  const written = {
    '/description': linkedNames(content.description),
    '/notes': linkedNames(content.notes),
    '/version_notes': linkedNames(version?.notes ?? ''),
  };
  const successor = content.deprecation?.successor ?? null;
  return { written, successor, all: [...Object.values(written).flat(), ...(successor === null ? [] : [successor])] };
}

/** Links, and the successor, must be names that there are. */
async function linkErrors({ tx, tenant }: Changing, described: Described): Promise<FieldErrors> {
  return wrongLinks(described, await findLinks(tx, tenant, linksOf(described).all));
}

/** @param known where the names lead that there are */
export function wrongLinks(described: Described, known: ReadonlyMap<string, TypeLink>): FieldErrors {
  const { name, linkable } = described;
  const { written, successor } = linksOf(described);
  const errors = Object.entries(written).flatMap(([field, names]) =>
    names
      .filter((linked) => linked !== name && linkable?.has(linked) !== true && !known.has(linked))
      .filter(isWrittenLikeTypeName)
      .map((linked) => ({ field, message: `links to ${linked}, which is not an event type` })),
  );
  if (successor === name) errors.push({ field: '/deprecation/successor', message: 'must be another type' });
  else if (successor !== null && linkable?.has(successor) !== true && known.get(successor)?.target == null)
    errors.push({ field: '/deprecation/successor', message: 'must be an event type that is not retired' });
  return errors.slice(0, 20);
}

export const textBytes = ({ description, notes }: { description: string; notes: string }): number =>
  Buffer.byteLength(description) + Buffer.byteLength(notes);

export const versionBytes = (version: PreparedVersion | undefined): number =>
  version === undefined
    ? 0
    : Buffer.byteLength(version.schema) + Buffer.byteLength(version.example) + Buffer.byteLength(version.notes);

/** A stored type as it was given. */
export function contentOf({
  description,
  notes,
  category,
  visibility,
  enforce,
  deprecation,
}: EventTypeRow): TypeContent {
  const given = deprecation && {
    reason: deprecation.reason,
    sunset_at: deprecation.sunset_at,
    successor: deprecation.successor,
  };
  return { description, notes, category, visibility, enforce, deprecation: given };
}

export function deprecationJson(
  { clock }: Pick<Changing, 'clock'>,
  { deprecation }: TypeContent,
  before: EventTypeRow | null,
): string | null {
  if (deprecation === null) return null;
  const since = before?.deprecation?.since ?? formatMicros(nowMicros(clock));
  return JSON.stringify({ since, ...deprecation });
}
