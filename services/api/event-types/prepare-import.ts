/** Reads and checks what a document says of each type by itself, before anything is locked: schemas in the thread of documents, one at a time. */
import type { EventTypeImport } from '#lib/api-contract';
import { documentLimits, type ImportedText } from '#lib/schema-checks';
import type { FieldErrors, Read } from '../http/send-problem.ts';
import type { RouteDeps } from '../route.ts';
import { contentErrors, type GivenType, nameErrors, typeContent } from './given-type.ts';
import { type PreparedVersion, prepareAgainst } from './prepare-version.ts';
import { readNewest } from './versions.ts';

type Listed = Exclude<keyof EventTypeImport, 'dry_run'>;

/** The report for clients, while it is put together. */
export type ImportReport = { [Name in Listed]: EventTypeImport[Name][number][] };

/** A type that can be imported as far as it tells by itself. */
export interface PreparedType {
  name: string;
  content: GivenType;
  version: PreparedVersion | undefined;
}

interface Given extends Pick<GivenType, 'visibility' | 'category'> {
  breaking: boolean | undefined;
  /** Checks what a document says of a type, as that of a request. */
  readContent(content: unknown): Read<GivenType>;
}

/** Types whose newest versions are read at a time. */
const typesAtOnce = 50;

/**
 * @returns `errors` for a document that takes more than the limit of all its schemas
 * @throws AppError store_unavailable, also when the client has left
 */
export async function prepareImport(
  { postgres, documents }: Pick<RouteDeps, 'postgres' | 'documents'>,
  { tenant, types, signal }: { tenant: string; types: readonly ImportedText[]; signal: AbortSignal },
  { breaking, readContent, ...over }: Given,
): Promise<({ prepared: PreparedType[] } & Pick<ImportReport, 'refused' | 'left_out'>) | { errors: FieldErrors }> {
  const prepared: PreparedType[] = [];
  const [refused, leftOut]: [ImportReport['refused'], ImportReport['left_out']] = [[], []];
  let tookMs = 0;
  for (let at = 0; at < types.length; at += typesAtOnce) {
    const some = types.slice(at, at + typesAtOnce);
    const names = some.map(({ name }) => name);
    const newest = await readNewest(postgres, tenant, names);
    for (const { name, content, version, errors: unread } of some) {
      const refuse = (errors: FieldErrors): void =>
        void refused.push({ name: name.slice(0, 255).toWellFormed(), reason: sentenceOf(errors) });
      const read = readParts({ ...(JSON.parse(content) as object), ...definedOf(over) }, readContent);
      const wrong = [...nameErrors(name), ...('errors' in read ? read.errors : []), ...unread];
      if (wrong.length > 0 || 'errors' in read) {
        refuse(wrong);
        continue;
      }
      const against = { tenant, signal, newest: newest.get(name) };
      let checked = await prepareAgainst(documents, { ...version, breaking }, against);
      tookMs += checked.tookMs;
      const wrongExample = version.example !== undefined && isOfExample(checked.errors) ? checked.errors : [];
      if (wrongExample.length > 0) {
        const { schema = 'true', version_notes } = version;
        checked = await prepareAgainst(documents, { schema, version_notes, breaking }, against);
        tookMs += checked.tookMs;
      }
      if (tookMs > documentLimits.importMs) return { errors: [{ field: '/document', message: takesTooLong }] };
      if (checked.errors.length > 0) {
        refuse(checked.errors);
        continue;
      }
      const ofExample = wrongExample.length > 0 ? [{ part: 'example', reason: sentenceOf(wrongExample) }] : [];
      for (const { part, reason } of [...read.leftOut, ...ofExample]) leftOut.push({ name, part, reason });
      prepared.push({ name, content: read.content, version: checked.version });
    }
  }
  return { prepared, refused, left_out: leftOut };
}

const isOfExample = (errors: FieldErrors): boolean =>
  errors.length > 0 && errors.every(({ field }) => field === '/example' || field.startsWith('/example/'));

/** Reads the members that a document gives a type, without those that have a mistake. */
function readParts(
  content: Readonly<Record<string, unknown>>,
  readContent: Given['readContent'],
): { content: GivenType; leftOut: { part: string; reason: string }[] } | { errors: FieldErrors } {
  const read = readContent(content);
  const errors = 'errors' in read ? read.errors : contentErrors(typeContent(read.read));
  if (errors.length === 0 && 'read' in read) return { content: read.read, leftOut: [] };
  const memberOf = ({ field }: FieldErrors[number]): string => field.split('/')[1] ?? '';
  const parts = [...new Set(errors.map(memberOf))].filter((part) => Object.hasOwn(content, part));
  // With each call there is less of it.
  if (parts.length === 0) return { errors };
  const rest = readParts(
    Object.fromEntries(Object.entries(content).filter(([part]) => !parts.includes(part))),
    readContent,
  );
  if ('errors' in rest) return rest;
  const said = parts.map((part) => ({ part, reason: sentenceOf(errors.filter((error) => memberOf(error) === part)) }));
  return { content: rest.content, leftOut: [...said, ...rest.leftOut] };
}

const takesTooLong = `takes more than ${documentLimits.importMs} ms of a processor to compile its schemas, the limit of an import: divide it`;

const definedOf = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

export const sentenceOf = (errors: FieldErrors): string =>
  errors
    .slice(0, 20)
    .map(({ field, message }) => `${field} ${message}`.trimStart())
    .join('; ');
