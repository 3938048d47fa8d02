import { filterText, searchText } from '#lib/api-contract';
import {
  type AliasKind,
  type EventTypeEnforcement,
  type EventTypeStatus,
  type EventTypeSummary,
  type EventTypeVersionView,
  type EventTypeView,
  type EventTypeVisibility,
  type TypeLink,
  isEventTypeName,
} from '#lib/contract';
import type { Query } from '#lib/postgres';
import { isShownTo, withoutHidden } from '../event-types/shown-types.ts';
import { groupsOf, linkedNames } from '../event-types/type-texts.ts';
import { bindTo, filterConditions, type Filtering, type DescribedFilterTable } from '../http/filters.ts';
import type { PageRequest } from '../http/paging.ts';
import { findVersion, versionJson, type VersionRow } from './event-type-version.ts';
import { containsText } from './search-text.ts';

/** Instants are RFC 3339. */
interface TypePause {
  since: string;
  reason: string | null;
  until: string | null;
}

interface TypeDeprecation {
  since: string;
  reason: string | null;
  sunset_at: string | null;
  /** As it was written: any name of the successor. */
  successor: string | null;
}

export interface EventTypeRow {
  id: string;
  name: string;
  status: EventTypeStatus;
  visibility: EventTypeVisibility;
  category: string | null;
  description: string;
  notes: string;
  words: number;
  enforce: EventTypeEnforcement;
  paused: TypePause | null;
  deprecation: TypeDeprecation | null;
  /** `visibility`: the widest that the type had under the name. */
  aliases: { name: string; kind: AliasKind; since: string; visibility: EventTypeVisibility }[];
  version: number | null;
  bytes: number;
  revision: number;
  created_at: string;
  changed_at: string;
  retired_at: string | null;
}

const isPaused = `(t.paused IS NOT NULL AND coalesce((t.paused->>'until')::timestamptz > clock_timestamp(), true))`;
const status = `CASE WHEN t.retired_at IS NOT NULL THEN 'retired' WHEN ${isPaused} THEN 'paused'
                     WHEN t.deprecation IS NOT NULL THEN 'deprecated' ELSE 'active' END`;

const columns = `t.id, n.name, ${status} AS status, t.visibility, t.category, t.description, t.notes, t.words, t.enforce,
  CASE WHEN ${isPaused} THEN t.paused END AS paused, t.deprecation, t.version, t.bytes, t.revision, t.created_at, t.changed_at,
  t.retired_at,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('name', a.name, 'kind', a.kind,
            'visibility', coalesce(a.visibility, t.visibility), 'since',
            to_char(a.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) ORDER BY a.name), '[]')
     FROM event_type_names a
    WHERE a.tenant = t.tenant AND a.type_id = t.id AND a.kind <> 'current') AS aliases`;

/** Types by their current names; one that was merged has none. */
const typesWithNames = `event_types t
  JOIN event_type_names n ON n.tenant = t.tenant AND n.type_id = t.id AND n.kind = 'current'`;

/** The filters of `GET /v1/event-types`. */
export const eventTypeFilters = {
  status: {
    schema: { type: 'string', enum: ['active', 'paused', 'deprecated', 'retired'] },
    description: 'without it, all but the retired',
    condition: (value) => `${status} = ${value}`,
  },
  visibility: {
    schema: { type: 'string', enum: ['public', 'portal', 'internal'] },
    description: 'who is to see them: `portal` has the public ones, too, and `internal` all',
    condition: (value) => visibleTo(value),
  },
  category: { schema: filterText, condition: (value) => `t.category = ${value}` },
  group: {
    schema: filterText,
    description: 'a prefix before a dot: `a.b` has `a.b.c`',
    condition: (value) => `starts_with(n.name, ${value} || '.')`,
  },
  q: {
    schema: searchText,
    description: 'text in the name, the description or the notes, in upper or lower case',
    condition: (text) => containsText(['n.name', 't.description', 't.notes'], text),
  },
} as const satisfies DescribedFilterTable;

export type EventTypeFilter = Filtering<typeof eventTypeFilters>;

/** @param value the parameter with a visibility @param visibility an expression */
export const visibleTo = (value: string, visibility = 't.visibility'): string =>
  `(${visibility} = 'public' OR ${value} = 'internal' OR (${value} = 'portal' AND ${visibility} = 'portal'))`;

/** Others than the tenant search no links, which may name types that are not theirs. */
const withoutLinks = (text: string): string => `regexp_replace(${text}, '\\[\\[[A-Za-z0-9._:-]+\\]\\]', '', 'g')`;
const filtersOfOthers = {
  ...eventTypeFilters,
  q: {
    ...eventTypeFilters.q,
    condition: (text: string) => containsText(['n.name', withoutLinks('t.description'), withoutLinks('t.notes')], text),
  },
};

interface TypePage extends PageRequest {
  /** The last name; undefined: to the end of the page. */
  to?: string | undefined;
}

/** By name. One more than the page holds. */
export const listEventTypes = (
  postgres: Query,
  tenant: string,
  filter: EventTypeFilter,
  page: TypePage,
): Promise<EventTypeRow[]> => postgres.query<EventTypeRow>(...listing(columns, tenant, filter, page));

function listing(
  selected: string,
  tenant: string,
  filter: EventTypeFilter,
  { after, to, limit }: TypePage,
): [text: string, values: unknown[]] {
  const values: unknown[] = [tenant, after, limit + 1];
  const bind = bindTo(values);
  const isOwn = filter.visibility === undefined || filter.visibility === 'internal';
  const conditions = filterConditions(isOwn ? eventTypeFilters : filtersOfOthers, filter, bind);
  if (to !== undefined) conditions.push(`n.name <= ${bind(to)}`);
  if (filter.status === undefined) conditions.push('t.retired_at IS NULL');
  return [
    `SELECT ${selected}
       FROM ${typesWithNames}
      WHERE n.tenant = $1 AND ($2::text IS NULL OR n.name > $2)${conditions.map((one) => ` AND ${one}`).join('')}
      ORDER BY n.name
      LIMIT $3`,
    values,
  ];
}

/** Names alone: of a page that is longer than what may be read at once. One more than the page holds. */
export async function listTypeNames(
  postgres: Query,
  tenant: string,
  filter: EventTypeFilter,
  page: PageRequest,
): Promise<string[]> {
  const rows = await postgres.query<{ name: string }>(...listing('n.name', tenant, filter, page));
  return rows.map(({ name }) => name);
}

/**
 * Changes with everything that lists of the tenant's types show: each change increments a revision, and a pause may end by itself. Read before the
 * list: what changes meanwhile is in the list, and another revision the next time.
 */
export async function typesRevision(postgres: Query, tenant: string): Promise<string> {
  const [row] = await postgres.query<{ revision: string }>(
    `SELECT concat_ws('.', count(*), coalesce(sum(revision), 0), count(*) FILTER (WHERE ${isPaused})) AS revision
       FROM event_types t
      WHERE tenant = $1`,
    [tenant],
  );
  return row?.revision ?? '';
}

export interface FoundType extends EventTypeRow {
  /** Which name it was found by. */
  foundBy: 'current' | AliasKind;
  /** The widest visibility that it had under that name. */
  foundVisibility: EventTypeVisibility;
}

/** By any of its names; a retired one is found too. */
export async function findEventType(postgres: Query, tenant: string, name: string): Promise<FoundType | undefined> {
  if (!isEventTypeName(name)) return undefined;
  const [row] = await postgres.query<FoundType>(
    `SELECT ${columns}, given.kind AS "foundBy",
            CASE WHEN given.kind = 'current' THEN t.visibility ELSE coalesce(given.visibility, t.visibility) END AS "foundVisibility"
       FROM event_type_names given
       JOIN event_types t ON t.tenant = given.tenant AND t.id = given.type_id
       JOIN event_type_names n ON n.tenant = t.tenant AND n.type_id = t.id AND n.kind = 'current'
      WHERE given.tenant = $1 AND given.name = $2`,
    [tenant, name],
  );
  return row;
}

/** By their current names. */
export async function findEventTypes(
  postgres: Query,
  tenant: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, EventTypeRow>> {
  const rows = await postgres.query<EventTypeRow>(
    `SELECT ${columns} FROM ${typesWithNames} WHERE n.tenant = $1 AND n.name = ANY ($2)`,
    [tenant, names],
  );
  return new Map(rows.map((row) => [row.name, row]));
}

/** With the widest visibility that the type had under the name. */
type Link = TypeLink & { written: EventTypeVisibility };

/** Where the names lead that are written in texts and as successors; names that never were are not among them. */
export async function findLinks(
  postgres: Query,
  tenant: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Link>> {
  if (names.length === 0) return new Map();
  const rows = await postgres.query<Link & { name: string }>(
    `SELECT given.name, CASE WHEN given.kind = 'current' THEN t.visibility ELSE coalesce(given.visibility, t.visibility) END AS written,
            ${status} AS status, t.visibility, CASE WHEN t.retired_at IS NULL THEN n.name END AS target
       FROM event_type_names given
       JOIN event_types t ON t.tenant = given.tenant AND t.id = given.type_id
       JOIN event_type_names n ON n.tenant = t.tenant AND n.type_id = t.id AND n.kind = 'current'
      WHERE given.tenant = $1 AND given.name = ANY ($2)`,
    [tenant, [...new Set(names)]],
  );
  return new Map(rows.map(({ name, ...link }) => [name, link]));
}

const namesIn = ({ description, notes, deprecation }: EventTypeRow): string[] => {
  const successor = deprecation?.successor ?? null;
  return [...linkedNames(description, notes), ...(successor === null ? [] : [successor])];
};

/** Whether a name that is written leads to what is not for the audience. */
export const hiddenIn =
  (links: ReadonlyMap<string, Link>, audience: EventTypeVisibility) =>
  (name: string): boolean => {
    const link = links.get(name);
    return link !== undefined && !(isShownTo(audience, link.visibility) && isShownTo(audience, link.written));
  };

/** Types as an audience sees them. */
export async function eventTypesJson(
  postgres: Query,
  tenant: string,
  rows: readonly EventTypeRow[],
  audience: EventTypeVisibility,
): Promise<EventTypeSummary[]> {
  const links = await findLinks(postgres, tenant, rows.flatMap(namesIn));
  return rows.map((row) => summaryOf(row, { links, audience }));
}

/** A single type, with its newest version, as an audience sees it; default: as the tenant does. */
export async function eventTypeJson(
  postgres: Query,
  tenant: string,
  row: EventTypeRow,
  audience: EventTypeVisibility = 'internal',
): Promise<EventTypeView> {
  const newest = row.version === null ? undefined : await findVersion(postgres, tenant, row.id, row.version);
  const links = await findLinks(postgres, tenant, [...namesIn(row), ...linkedNames(newest?.notes ?? '')]);
  const summary = summaryOf(row, { links, audience, versionNotes: newest?.notes });
  return { ...summary, newest: newest === undefined ? null : versionJson(newest, hiddenIn(links, audience)) };
}

/** Versions as an audience sees them. */
export async function versionsJson(
  postgres: Query,
  tenant: string,
  rows: readonly VersionRow[],
  audience: EventTypeVisibility,
): Promise<EventTypeVersionView[]> {
  const links = await findLinks(postgres, tenant, linkedNames(...rows.map(({ notes }) => notes)));
  return rows.map((row) => versionJson(row, hiddenIn(links, audience)));
}

interface SeenBy {
  links: ReadonlyMap<string, Link>;
  audience: EventTypeVisibility;
  versionNotes?: string | undefined;
}

function summaryOf(row: EventTypeRow, { links, audience, versionNotes = '' }: SeenBy): EventTypeSummary {
  const { deprecation } = row;
  const isHidden = hiddenIn(links, audience);
  const next = links.get(deprecation?.successor ?? '');
  const successor = next !== undefined && isShownTo(audience, next.visibility) ? next.target : null;
  const written = linkedNames(row.description, row.notes, versionNotes);
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    visibility: row.visibility,
    category: row.category,
    groups: groupsOf(row.name),
    description: withoutHidden(row.description, isHidden),
    notes: withoutHidden(row.notes, isHidden),
    words: row.words,
    enforce: row.enforce,
    paused: row.paused,
    // The successor may have been merged into it.
    deprecation: deprecation === null ? null : { ...deprecation, successor: successor === row.name ? null : successor },
    aliases: row.aliases.flatMap(({ visibility, ...alias }) => (isShownTo(audience, visibility) ? [alias] : [])),
    links: Object.fromEntries(
      written.flatMap((name) => {
        const link = links.get(name);
        if (link === undefined || isHidden(name)) return [];
        const { target, status, visibility } = link;
        return [[name, { target, status, visibility }]];
      }),
    ),
    version: row.version,
    created_at: row.created_at,
    changed_at: row.changed_at,
    retired_at: row.retired_at,
  };
}
