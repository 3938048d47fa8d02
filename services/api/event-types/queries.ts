import type { EventTypeSummary, ObservedType, TypeLink } from '#lib/api-contract';
import { type AliasKind, type EventTypeVisibility, isEventTypeName } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { bindTo, filterConditions, type Filtering, type FilterTable } from '../http/filters.ts';
import type { PageRequest } from '../http/paging.ts';
import { containsText } from '../resources/bounded-list.ts';

/** The successor in `deprecation` is as it was written: any name of that type. */
export interface EventTypeRow extends Omit<EventTypeSummary, 'groups' | 'aliases' | 'links'> {
  /** `visibility`: the widest that the type had under the name. */
  aliases: readonly (EventTypeSummary['aliases'][number] & { visibility: EventTypeVisibility })[];
  bytes: number;
  revision: number;
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

/** Types by any of their names, with their current one. */
const typesByNames = `event_type_names given
       JOIN event_types t ON t.tenant = given.tenant AND t.id = given.type_id
       JOIN event_type_names n ON n.tenant = t.tenant AND n.type_id = t.id AND n.kind = 'current'`;

/** The widest visibility that a type had under a name. @param name the table of the name */
export const visibilityUnder = (name: string): string =>
  `CASE WHEN ${name}.kind = 'current' THEN t.visibility ELSE coalesce(${name}.visibility, t.visibility) END`;

/** The filters of `GET /v1/event-types`. */
export const eventTypeFilters = {
  status: { condition: (value) => `${status} = ${value}` },
  visibility: { condition: (value) => visibleTo(value) },
  category: { condition: (value) => `t.category = ${value}` },
  group: { condition: (value) => `starts_with(n.name, ${value} || '.')` },
  q: { condition: (text) => containsText(['n.name', 't.description', 't.notes'], text) },
} satisfies FilterTable;

export type EventTypeFilter = Filtering<typeof eventTypeFilters>;

/** @param value the parameter with a visibility @param visibility an expression */
export const visibleTo = (value: string, visibility = 't.visibility'): string =>
  `(${visibility} = 'public' OR ${value} = 'internal' OR (${value} = 'portal' AND ${visibility} = 'portal'))`;

/** Others than the tenant search no links, which may name types that are not theirs. */
const withoutLinks = (text: string): string => `regexp_replace(${text}, '\\[\\[[A-Za-z0-9._:-]+\\]\\]', '', 'g')`;
const filtersOfOthers = {
  ...eventTypeFilters,
  q: {
    condition: (text: string) => containsText(['n.name', withoutLinks('t.description'), withoutLinks('t.notes')], text),
  },
};

interface TypePage extends PageRequest {
  /** The last name; undefined: to the end of the page. */
  to?: string | undefined;
}

/** By name. One more than the page holds. */
export const queryEventTypes = (
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
    `SELECT ${columns}, given.kind AS "foundBy", ${visibilityUnder('given')} AS "foundVisibility"
       FROM ${typesByNames}
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
export type Link = TypeLink & { written: EventTypeVisibility };

/** Where the names lead that are written in texts and as successors; names that never were are not among them. */
export async function findLinks(
  postgres: Query,
  tenant: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Link>> {
  if (names.length === 0) return new Map();
  const rows = await postgres.query<Link & { name: string }>(
    `SELECT given.name, ${visibilityUnder('given')} AS written, ${status} AS status, t.visibility,
            CASE WHEN t.retired_at IS NULL THEN n.name END AS target
       FROM ${typesByNames}
      WHERE given.tenant = $1 AND given.name = ANY ($2)`,
    [tenant, [...new Set(names)]],
  );
  return new Map(rows.map(({ name, ...link }) => [name, link]));
}

/**
 * Types of the days that are kept, without those that are a name of an event type, be it a former one, and without Hookline's own: as the
 * statistics know them (libs/event-store/add-stats.ts). By type; one more than the page holds.
 */
export function queryObservedTypes(
  postgres: Query,
  tenant: string,
  { after, limit }: PageRequest,
): Promise<ObservedType[]> {
  return postgres.query<ObservedType>(
    `SELECT seen.*, lately.received_24h
       FROM (SELECT type, min(day)::text AS first_day, max(day)::text AS last_day
               FROM stat_types s
              WHERE tenant = $1 AND ($2::text IS NULL OR type > $2) AND NOT starts_with(type, 'hookline.')
                AND NOT EXISTS (SELECT FROM event_type_names n WHERE n.tenant = s.tenant AND n.name = s.type)
              GROUP BY type
              ORDER BY type
              LIMIT $3) AS seen
      CROSS JOIN LATERAL (
            SELECT coalesce(sum(received), 0)::float8 AS received_24h
              FROM stats
             WHERE tenant = $1 AND dimension = 'type' AND step = 'minute' AND key = seen.type
               AND at > now() - interval '24 hours') AS lately
      ORDER BY type`,
    [tenant, after, limit + 1],
  );
}
