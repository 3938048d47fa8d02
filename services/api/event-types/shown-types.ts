/**
 * The event types that each audience is told of: one definition for the API, which portal and catalog ask. An audience sees the types of its visibility and of the
 * wider ones; every other type, and a name that a type had only before the audience could see it, is none to it: not as an answer, and not by
 * name in the answer about another type.
 */
import { type EventTypeVisibility, eventTypeVisibilities, typeLinkPattern } from '#lib/contract';
import type { Caller } from '../keys/identify-caller.ts';
import type { FoundType } from '../resources/event-type.ts';

/** The parameter by which a key asks as somebody else sees it. */
export const audienceParameter = { visibility: { type: 'string', enum: eventTypeVisibilities } } as const;
export const audienceDescription =
  'as which audience sees it: others’ types, and names that it had before it was theirs, are not named; default `internal`: all';

/** In the place of a link to a type that is not shown. */
const another = 'another event type';

/** @param asked by the parameter `visibility`: nobody gets more than is theirs */
export const audienceOf = ({ session }: Pick<Caller, 'session'>, asked?: string): EventTypeVisibility => {
  const widest: EventTypeVisibility = session?.portal === undefined ? 'internal' : 'portal';
  const known = eventTypeVisibilities.find((visibility) => visibility === asked);
  return known !== undefined && isShownTo(widest, known) ? known : widest;
};

/** Whether what is of this visibility is for the audience. */
export const isShownTo = (audience: EventTypeVisibility, visibility: EventTypeVisibility): boolean =>
  eventTypeVisibilities.indexOf(visibility) <= eventTypeVisibilities.indexOf(audience);

/** The type, if the audience may see it, and know it by the name that it was found by. */
export const ifShown = (audience: EventTypeVisibility, found: FoundType | undefined): FoundType | undefined =>
  found !== undefined && isShownTo(audience, found.visibility) && isShownTo(audience, found.foundVisibility)
    ? found
    : undefined;

/** The text without the names of types that are not shown. @param isHidden by the name that is written */
export const withoutHidden = (text: string, isHidden: (name: string) => boolean): string =>
  text.replace(typeLinkPattern, (link, name: string) => (isHidden(name) ? another : link));
