/**
 * Event types as a tenant describes them. A type keeps its id and its versions, whatever it is called:
 *
 *   active ⇄ paused          pause, resume
 *   active ⇄ deprecated      `deprecation` of PATCH; a paused one is shown as paused
 *   any of these ──► retired (DELETE: 410 for ever)   or merged (its names lead to another type)
 *
 * Every name that was ever given stays with one type: its current name, or an alias, which leads to the current name in one hop
 * (services/api/event-types/decide-names.ts).
 */
export const eventTypeStatuses = ['active', 'paused', 'deprecated', 'retired'] as const;
export type EventTypeStatus = (typeof eventTypeStatuses)[number];

/** The audience: everybody, customers in the portal, or the tenant itself. Each includes the ones before. */
export const eventTypeVisibilities = ['public', 'portal', 'internal'] as const;
export type EventTypeVisibility = (typeof eventTypeVisibilities)[number];

/** An event that does not match the newest schema is taken as it is, taken with the tag `schema`, or refused; a webhook is tagged where it would be refused. */
export const eventTypeEnforcements = ['off', 'tag', 'reject'] as const;
export type EventTypeEnforcement = (typeof eventTypeEnforcements)[number];

/** Against the version before. */
export const versionCompatibilities = ['initial', 'compatible', 'breaking'] as const;
export type VersionCompatibility = (typeof versionCompatibilities)[number];

const nameCharacter = String.raw`[^\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}*\[\]]`;

/**
 * Names are what providers call their events: `invoice.paid`, `orders/create`, `Push Hook`, `zen:event-type:ticket.created`, `invoice.paid|v2`.
 * A name is compared with the type of an event character by character, so it is not normalized. It is one line that reads as it is:
 *
 *   1 to 255 characters; of blanks only U+0020, alone and between others; no control, format, private-use and surrogate characters
 *   no `*`, which makes a pattern of an endpoint's, and no `[` and `]`, which end a link in a text
 *   no `.` or `..` between slashes: browsers and proxies would make another path of it
 *
 * For the flag `u`.
 */
export const eventTypeNamePattern = String.raw`^(?! |(?:.*/)?\.{1,2}(?:/|$))(?:${nameCharacter}| (?! |$)){1,255}$`;

const namePattern = new RegExp(eventTypeNamePattern, 'u');
export const isEventTypeName = (text: string): boolean => namePattern.test(text);

/** In a path, it says that the name is the query parameter `name`. */
export const nameInQuery = '-';

/** Words of paths beside `/v1/event-types/{name}` and `/catalog/{name}`. */
export const reservedTypeNames: readonly string[] = [
  ...['changes', 'export', 'groups', 'import', 'observed', 'search', 'verify', nameInQuery],
];

/** Every proxy passes this on in a path as it is, if it is percent-encoded. */
const plainInPaths = /^[A-Za-z0-9](?:[A-Za-z0-9._: -]*[A-Za-z0-9_:-])?$/;

/**
 * The address below `base` of what is called so. Many proxies decode or refuse `%2F`, `%5C` and `%25` in a path, so a name with more than letters,
 * digits and a few marks is the query parameter `name`, and `-` stands in its place: `/catalog/-/v/2?name=orders%2Fcreate`.
 *
 * @param below the rest of the path
 */
export const addressOfName = (base: string, name: string, below = ''): string =>
  plainInPaths.test(name)
    ? `${base}/${encodeURIComponent(name)}${below}`
    : `${base}/${nameInQuery}${below}?name=${encodeURIComponent(name)}`;

/** `[[invoice.paid]]` in a description or in notes is a link to that type. */
export const typeLinkPattern = new RegExp(String.raw`\[\[(?! )((?:${nameCharacter}| (?! |\])){1,255})\]\]`, 'gu');

/** A text between brackets that is written like the name of a type is a link, or a mistake; another, such as `[[1, 2]]`, may stay text. */
export const isWrittenLikeTypeName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/.test(text);

/** JSON text of a schema or an example. */
export const maxSchemaBytes = 64 * 1024;

/** A type in lists. Instants are RFC 3339. */
export interface EventTypeSummary {
  id: string;
  name: string;
  status: EventTypeStatus;
  visibility: EventTypeVisibility;
  category: string | null;
  /** The prefixes before its dots: `a.b.c` is in `a` and `a.b`. */
  groups: string[];
  description: string;
  notes: string;
  /** The words of its own texts: the description, the notes, the notes of its newest version, descriptions of its fields. */
  words: number;
  enforce: EventTypeEnforcement;
  paused: { since: string; reason: string | null; until: string | null } | null;
  deprecation: { since: string; reason: string | null; sunset_at: string | null; successor: string | null } | null;
  /** Its other names. They lead here while it lives, and are gone with it. */
  aliases: { name: string; kind: AliasKind; since: string }[];
  /** The links in its texts, by the name that is written. */
  links: Record<string, TypeLink>;
  /** The newest version; null without any. */
  version: number | null;
  created_at: string;
  changed_at: string;
  retired_at: string | null;
}

export type AliasKind = 'renamed' | 'merged';

/** `target`: the current name; null if it is retired, and then the link is text. */
export interface TypeLink {
  target: string | null;
  status: EventTypeStatus;
  visibility: EventTypeVisibility;
}

/** A single type. */
export interface EventTypeView extends EventTypeSummary {
  newest: EventTypeVersionView | null;
}

export interface EventTypeVersionView {
  version: number;
  /** JSON Schema 2020-12. */
  schema: unknown;
  /** As its author gave it; null for none. */
  example: unknown;
  /** The example was made from the schema: only versions of before have such. */
  example_generated: boolean;
  notes: string;
  compatibility: VersionCompatibility;
  /** Differences of the schema from the version before. */
  differences: SchemaDifference[];
  /** The named fields of the payload; null: not known yet. */
  fields: EventTypeField[] | null;
  /** There are more. */
  fields_truncated: boolean;
  published_at: string;
}

/** A field as a page shows it. */
export interface EventTypeField {
  /** `customer.address.city`, `lines[].amount`. */
  path: string;
  /** `string (date-time)`, `integer or null`, `"a" or "b"`. */
  type: string;
  required: boolean;
  description: string;
}

export interface SchemaDifference {
  /** `data.items[].id`; empty: the whole payload. */
  field: string;
  change: 'added' | 'removed' | 'narrowed' | 'widened' | 'required' | 'optional' | 'unlisted';
  breaking: boolean;
}

/** The answer for an alias: 301 with the target as `Location`. */
export interface EventTypeAliasView {
  name: string;
  kind: AliasKind;
  target: string;
}

export const eventTypeChanges = [
  ...(['created', 'version', 'described', 'renamed', 'merged', 'paused', 'resumed'] as const),
  ...(['deprecated', 'undeprecated', 'retired'] as const),
] as const;
export type EventTypeChange = (typeof eventTypeChanges)[number];

/** An entry of the list of changes, newest first. */
export interface EventTypeChangeView {
  id: string;
  at: string;
  change: EventTypeChange;
  /** Its name after the change; of a merged one, the name that it had. */
  name: string;
  /** Its name today, or that of the type which it was merged into; null: it is retired. */
  target: string | null;
  visibility: EventTypeVisibility;
  /** `version`: which one. */
  version: number | null;
  compatibility: VersionCompatibility | null;
  /** `renamed`: the name before. */
  from: string | null;
  /** `merged`: the type that it leads to now. */
  into: string | null;
  /** The reason of a merge, a pause or a deprecation, the notes of a version. */
  notes: string | null;
}
