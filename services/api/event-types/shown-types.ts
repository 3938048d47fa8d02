/**
 * The event types that each audience is told of: one definition for the API, which portal and catalog ask. An audience sees the types of its visibility and of the
 * wider ones; every other type, and a name that a type had only before the audience could see it, is none to it: not as an answer, and not by
 * name in the answer about another type.
 */
import type { EventType, EventTypeSummary, EventTypeVersion } from '#lib/api-contract';
import { type EventTypeVisibility, eventTypeVisibilities, typeLinkPattern } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { type Caller, isCustomer } from '../keys/identify-caller.ts';
import { type EventTypeRow, findEventType, findLinks, type FoundType, type Link } from './queries.ts';
import { groupsOf, linkedNames } from './type-texts.ts';
import { findVersion } from './versions.ts';

/** In the place of a link to a type that is not shown. */
const another = 'another event type';

/** @param asked by the parameter `visibility`: nobody gets more than is theirs */
export const audienceOf = (caller: Pick<Caller, 'session'>, asked?: string): EventTypeVisibility => {
  const widest: EventTypeVisibility = isCustomer(caller) ? 'portal' : 'internal';
  const known = eventTypeVisibilities.find((visibility) => visibility === asked);
  return known !== undefined && isShownTo(widest, known) ? known : widest;
};

/** Whether what is of this visibility is for the audience. */
const isShownTo = (audience: EventTypeVisibility, visibility: EventTypeVisibility): boolean =>
  eventTypeVisibilities.indexOf(visibility) <= eventTypeVisibilities.indexOf(audience);

/** The type, if the audience may see it, and know it by this name. */
export async function findShown(
  postgres: Query,
  tenant: string,
  name: string,
  audience: EventTypeVisibility,
): Promise<FoundType | undefined> {
  const found = await findEventType(postgres, tenant, name);
  const isShown =
    found !== undefined && isShownTo(audience, found.visibility) && isShownTo(audience, found.foundVisibility);
  return isShown ? found : undefined;
}

/** The text without the names of types that are not shown. @param isHidden by the name that is written */
export const withoutHidden = (text: string, isHidden: (name: string) => boolean): string =>
  text.replace(typeLinkPattern, (link, name: string) => (isHidden(name) ? another : link));

/** Whether a name that is written leads to what is not for the audience. */
export const hiddenIn =
  (links: ReadonlyMap<string, Link>, audience: EventTypeVisibility) =>
  (name: string): boolean => {
    const link = links.get(name);
    return link !== undefined && !(isShownTo(audience, link.visibility) && isShownTo(audience, link.written));
  };

const namesIn = ({ description, notes, deprecation }: EventTypeRow): string[] => {
  const successor = deprecation?.successor ?? null;
  return [...linkedNames(description, notes), ...(successor === null ? [] : [successor])];
};

/** Types as an audience sees them. */
export async function summariesOf(
  postgres: Query,
  tenant: string,
  rows: readonly EventTypeRow[],
  audience: EventTypeVisibility,
): Promise<EventTypeSummary[]> {
  const links = await findLinks(postgres, tenant, rows.flatMap(namesIn));
  return rows.map((row) => summaryOf(row, links, audience));
}

/** A single type, with its newest version, as an audience sees it; default: as the tenant does. */
export async function eventTypeOf(
  postgres: Query,
  tenant: string,
  row: EventTypeRow,
  audience: EventTypeVisibility = 'internal',
): Promise<EventType> {
  const newest = row.version === null ? undefined : await findVersion(postgres, tenant, row.id, row.version);
  const links = await findLinks(postgres, tenant, [...namesIn(row), ...linkedNames(newest?.notes ?? '')]);
  const summary = summaryOf(row, links, audience, newest?.notes);
  return { ...summary, newest: newest === undefined ? null : versionOf(newest, hiddenIn(links, audience)) };
}

/** Versions as an audience sees them. */
export async function versionsOf(
  postgres: Query,
  tenant: string,
  rows: readonly EventTypeVersion[],
  audience: EventTypeVisibility,
): Promise<EventTypeVersion[]> {
  const links = await findLinks(postgres, tenant, linkedNames(...rows.map(({ notes }) => notes)));
  return rows.map((row) => versionOf(row, hiddenIn(links, audience)));
}

/** @param isHidden whether a name that is written is that of a type which is not shown */
const versionOf = (row: EventTypeVersion, isHidden: (name: string) => boolean): EventTypeVersion => ({
  ...row,
  notes: withoutHidden(row.notes, isHidden),
});

function summaryOf(
  row: EventTypeRow,
  links: ReadonlyMap<string, Link>,
  audience: EventTypeVisibility,
  versionNotes = '',
): EventTypeSummary {
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
