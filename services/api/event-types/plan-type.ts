/** Plans the change by which a type becomes as it is given, by itself or by an import: pure. */
import { isDeepStrictEqual } from 'node:util';
import type { TypeLink } from '#lib/api-contract';
import { isWrittenLikeTypeName } from '#lib/contract';
import { wordsIn } from '#lib/schema-checks';
import type { FieldErrors } from '../http/send-problem.ts';
import type { NewChange } from './changes.ts';
import { contentOf, type TypeContent } from './given-type.ts';
import type { PreparedVersion } from './prepare-version.ts';
import type { EventTypeRow } from './queries.ts';
import { countWords, linkedNames, type TypeTexts } from './type-texts.ts';
import type { NewVersion, VersionFacts } from './versions.ts';

/** A type as it is given. */
export interface Described {
  name: string;
  content: TypeContent;
  version: PreparedVersion | undefined;
}

/** A type that is created, or written anew. */
export interface PlannedType {
  id: string;
  name: string;
  content: TypeContent;
  /** As it is stored; undefined: it is created. */
  before: EventTypeRow | undefined;
  /** The fields of its description that change. */
  fields: string[];
  published: NewVersion | undefined;
  words: number;
  bytes: number;
  moreBytes: number;
}

interface Planning extends Described, Pick<PlannedType, 'id' | 'before'> {
  newest: VersionFacts | undefined;
}

/** Bytes of a type without its texts and versions. */
const rowBytes = 500;

/** The version is published if it differs from the newest one. */
export function planType({
  version,
  newest,
  ...type
}: Planning): PlannedType | { refused: 'conflict'; detail: string } {
  const { content, before } = type;
  const published = version && nextVersion(newest, version);
  if (published !== undefined && 'refused' in published) return published;
  const wordsOfVersion = published === undefined ? wordsBeside(before) : wordsOf(version);
  const moreBytes =
    textBytes(content) -
    (before === undefined ? -rowBytes : textBytes(before)) +
    (published === undefined ? 0 : bytesOf(published.schema, published.example, published.notes));
  return {
    ...type,
    fields: before === undefined ? [] : changedFields(contentOf(before), content),
    published,
    words: countWords(content, wordsOfVersion),
    bytes: (before?.bytes ?? 0) + moreBytes,
    moreBytes,
  };
}

export const isUnchanged = ({ before, fields, published }: PlannedType): boolean =>
  before !== undefined && fields.length === 0 && published === undefined;

/** The next version with what it changes; undefined: the newest one is the same. */
function nextVersion(
  newest: VersionFacts | undefined,
  { content, isSame, differences, breaking }: PreparedVersion,
): NewVersion | undefined | { refused: 'conflict'; detail: string } {
  if (newest === undefined) return { ...content, version: 1, compatibility: 'initial', differences: [] };
  if (isSame && (content.notes === '' || content.notes === newest.notes)) return undefined;
  const breaks = differences.filter((difference) => difference.breaking);
  if (breaks.length > 0 && !breaking)
    return {
      refused: 'conflict',
      detail: `The schema breaks receivers: ${breaks
        .slice(0, 10)
        .map(({ field, change }) => `${field === '' ? '(payload)' : field} ${change}`)
        .join(', ')}. Publish it with breaking: true`,
    };
  const compatibility = breaks.length > 0 ? 'breaking' : 'compatible';
  return { ...content, version: newest.version + 1, compatibility, differences };
}

const changedFields = (before: TypeContent, content: TypeContent): string[] =>
  (['description', 'notes', 'category', 'visibility', 'enforce', 'deprecation'] as const).filter(
    (field) => !isDeepStrictEqual(before[field], content[field]),
  );

const bytesOf = (...texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

export const textBytes = ({ description, notes }: TypeTexts): number => bytesOf(description, notes);

const wordsOf = (version: PreparedVersion | undefined): number =>
  version === undefined ? 0 : wordsIn(version.content.notes) + version.fieldWords;

/** The words of a stored type that are its version's. */
const wordsBeside = (before: EventTypeRow | undefined): number =>
  before === undefined ? 0 : Math.max(0, before.words - countWords(before, 0));

/** The entries of the list of changes, in their order. */
export function entriesOf(planned: PlannedType): (NewChange & { typeId: string })[] {
  const { id: typeId, name, content, before, fields, published } = planned;
  const { deprecation } = content;
  const entries: NewChange[] = [];
  if (before === undefined) entries.push({ change: 'created', name });
  if (fields.includes('description') || fields.includes('notes')) entries.push({ change: 'described', name });
  if (before !== undefined && (before.deprecation === null) !== (deprecation === null)) {
    const change = deprecation === null ? 'undeprecated' : 'deprecated';
    entries.push({ change, name, notes: deprecation?.reason ?? null });
  }
  if (published !== undefined) {
    const { version, compatibility, notes } = published;
    entries.push({ change: 'version', name, version, compatibility, notes });
  }
  return entries.map((entry) => ({ ...entry, typeId }));
}

/** Names that its texts link to, by where they are written; and its successor. */
export function linksOf({ content, version }: Pick<Described, 'content' | 'version'>) {
  const written = {
    '/description': linkedNames(content.description),
    '/notes': linkedNames(content.notes),
    '/version_notes': linkedNames(version?.content.notes ?? ''),
  };
  const successor = content.deprecation?.successor ?? null;
  return { written, successor, all: [...Object.values(written).flat(), ...(successor === null ? [] : [successor])] };
}

/**
 * Links, and the successor, must be names that there are.
 *
 * @param known where the names lead that there are
 * @param linkable more names: of types that come with it
 */
export function wrongLinks(
  described: Described,
  known: ReadonlyMap<string, TypeLink>,
  linkable: ReadonlySet<string> = new Set(),
): FieldErrors {
  const { name } = described;
  const { written, successor } = linksOf(described);
  const errors = Object.entries(written).flatMap(([field, names]) =>
    names
      .filter((linked) => linked !== name && !linkable.has(linked) && !known.has(linked))
      .filter(isWrittenLikeTypeName)
      .map((linked) => ({ field, message: `links to ${linked}, which is not an event type` })),
  );
  if (successor === name) errors.push({ field: '/deprecation/successor', message: 'must be another type' });
  else if (successor !== null && !linkable.has(successor) && known.get(successor)?.target == null)
    errors.push({ field: '/deprecation/successor', message: 'must be an event type that is not retired' });
  return errors.slice(0, 20);
}
