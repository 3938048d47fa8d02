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
 * How an address names what is called so. Many proxies decode or refuse `%2F`, `%5C` and `%25` in a path, so a name with more than letters, digits
 * and a few marks is the query parameter `name`, and `-` stands in its place: `/catalog/-/v/2?name=orders%2Fcreate`.
 */
export const placeOfName = (name: string): { params: { name: string }; query: { name?: string } } =>
  plainInPaths.test(name) ? { params: { name }, query: {} } : { params: { name: nameInQuery }, query: { name } };

/**
 * The address below `base` of what is called so (placeOfName).
 *
 * @param below the rest of the path
 */
export function addressOfName(base: string, name: string, below = ''): string {
  const { params, query } = placeOfName(name);
  const path = `${base}/${encodeURIComponent(params.name)}${below}`;
  return query.name === undefined ? path : `${path}?name=${encodeURIComponent(query.name)}`;
}

/** `[[invoice.paid]]` in a description or in notes is a link to that type. */
export const typeLinkPattern = new RegExp(String.raw`\[\[(?! )((?:${nameCharacter}| (?! |\])){1,255})\]\]`, 'gu');

/** A text between brackets that is written like the name of a type is a link, or a mistake; another, such as `[[1, 2]]`, may stay text. */
export const isWrittenLikeTypeName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/.test(text);

/** JSON text of a schema or an example. */
export const maxSchemaBytes = 64 * 1024;

/** Why a name leads to a type that is called otherwise. */
export const aliasKinds = ['renamed', 'merged'] as const;
export type AliasKind = (typeof aliasKinds)[number];

export const eventTypeChanges = [
  ...(['created', 'version', 'described', 'renamed', 'merged', 'paused', 'resumed'] as const),
  ...(['deprecated', 'undeprecated', 'retired'] as const),
] as const;
