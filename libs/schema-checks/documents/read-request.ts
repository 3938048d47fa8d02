/**
 * Reads the body of a request that has a tenant's schemas in it. Whoever asked gets the rest of the body, in which a value of the same kind stands for each
 * of them, and each as text: it has nothing to walk over.
 */
import { parseExact } from '#lib/exact-json';
import { documentLimits } from './limits.ts';
import { type ImportedType, readDocument } from './read-document.ts';
import type { FieldError } from './schema-errors.ts';
import { unstorableTexts } from './unstorable-text.ts';
import { vetJson } from './vet-json.ts';

/** A type of a document: texts are JSON. */
export interface ImportedText {
  name: string;
  content: string;
  version: GivenTexts;
  /** Why it can't be imported. */
  errors: FieldError[];
}

/** The texts of a version that is to be published. */
interface GivenTexts {
  schema?: string;
  example?: string;
  version_notes?: string;
}

export type ReadRequest =
  /** `body`: undefined for none. `members`: those that were asked for and are there. */
  | { kind: 'read'; body: string | undefined; members: Readonly<Record<string, string>> }
  | { kind: 'read_document'; body: string; types: ImportedText[] }
  | { kind: 'refused'; errors: FieldError[] }
  | { kind: 'no_json' };

/** The rest of the body goes to the thread that serves others. */
const maxRestLength = 256 * 1024;

/** @param members names of members of the body */
export function readRequest(bytes: Uint8Array, members: readonly string[]): ReadRequest {
  const parsed = parse(bytes);
  return 'kind' in parsed ? parsed : divide(parsed.value, members);
}

/** @param member the name of the member that has the document */
export function readImport(bytes: Uint8Array, member: string): ReadRequest {
  const parsed = parse(bytes);
  if ('kind' in parsed) return parsed;
  const divided = divide(parsed.value, [member], () => '');
  const document = isObject(parsed.value) ? parsed.value[member] : undefined;
  if (divided.kind !== 'read' || !isObject(document)) return divided;
  const read = readDocument(document);
  if ('mistake' in read) return refused(`/${member}`, read.mistake);
  const { types } = read;
  if (types.length > documentLimits.types)
    return refused(`/${member}`, `must not have more than ${documentLimits.types} types; divide it`);
  const textOf = rememberTexts();
  return { kind: 'read_document', body: divided.body ?? '{}', types: types.map((type) => textsOf(type, textOf)) };
}

function parse(bytes: Uint8Array): { value: unknown } | ReadRequest {
  if (bytes.length === 0) return { kind: 'read', body: undefined, members: {} };
  const wrong = vetJson(bytes);
  if (wrong !== undefined) return refused('(body)', wrong);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  try {
    const value = parseExact(text, 'all');
    return mayPoison.test(text) && poisons(value) ? { kind: 'no_json' } : { value };
  } catch {
    return { kind: 'no_json' };
  }
}

/** As the API's parser for all other bodies has it: members that would change what an object inherits are no JSON. */
const mayPoison = /__proto__|constructor|\\u/;
const poisons = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(
    ([name, inner]: [string, unknown]) =>
      name === '__proto__' ||
      (name === 'constructor' && isObject(inner) && Object.hasOwn(inner, 'prototype')) ||
      poisons(inner),
  );

function divide(
  value: unknown,
  members: readonly string[],
  textOf: (member: unknown) => string = (member) => JSON.stringify(member),
): ReadRequest {
  const found: Record<string, string> = {};
  const rest = isObject(value) ? { ...value } : value;
  if (isObject(rest))
    for (const name of members) {
      if (!Object.hasOwn(rest, name)) continue;
      const errors = unstorableTexts(rest[name], `/${name}`);
      if (errors.length > 0) return { kind: 'refused', errors };
      found[name] = textOf(rest[name]);
      rest[name] = standIn(rest[name]);
    }
  const body = JSON.stringify(rest);
  if (body.length > maxRestLength)
    return refused('(body)', `must not have more than ${maxRestLength} characters beside its documents`);
  return { kind: 'read', body, members: found };
}

/** JSON texts; types that share a schema have it from one text. */
function rememberTexts(): (value: unknown) => string {
  const known = new WeakMap<object, string>();
  return (value) => {
    const before = typeof value === 'object' && value !== null ? known.get(value) : undefined;
    const text = before ?? JSON.stringify(value);
    if (typeof value === 'object' && value !== null) known.set(value, text);
    return text;
  };
}

function textsOf({ name, content, version, mistake }: ImportedType, textOf: (value: unknown) => string): ImportedText {
  const { schema, example, version_notes: notes } = version;
  const said = JSON.stringify(content);
  const errors: FieldError[] = mistake === undefined ? [] : [{ field: '', message: mistake }];
  if (said.length > maxRestLength)
    errors.push({ field: '/description', message: `and other texts have more than ${maxRestLength} characters` });
  return {
    name: name.slice(0, 1_000),
    content: said.length > maxRestLength ? '{}' : said,
    version: {
      ...(schema !== undefined && { schema: textOf(schema) }),
      ...(Object.hasOwn(version, 'example') && { example: JSON.stringify(example) }),
      ...(notes !== undefined && { version_notes: notes }),
    },
    errors,
  };
}

/** A value of the same type, so that who checks the rest says the same of it. */
function standIn(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value === 'object' && value !== null) return {};
  return typeof value === 'string' ? '' : value;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const refused = (field: string, message: string): ReadRequest => ({ kind: 'refused', errors: [{ field, message }] });
