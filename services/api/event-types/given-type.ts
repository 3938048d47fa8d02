import { type EventTypeSummary, type givenEventType, type Static, typeName } from '#lib/api-contract';
import { isEventTypeName, reservedTypeNames } from '#lib/contract';
import { readInstant } from '../http/filters.ts';
import type { FieldErrors } from '../http/send-problem.ts';
import type { EventTypeRow } from './queries.ts';

/** A type as clients give it, but its name. */
export type GivenType = Static<typeof givenEventType>;

/** A type with the defaults of what was not said. */
export interface TypeContent extends Pick<
  EventTypeSummary,
  'description' | 'notes' | 'category' | 'visibility' | 'enforce'
> {
  deprecation: Omit<NonNullable<EventTypeSummary['deprecation']>, 'since'> | null;
}

export const typeContent = (given: GivenType): TypeContent => ({
  description: given.description ?? '',
  notes: given.notes ?? '',
  category: given.category ?? null,
  visibility: given.visibility ?? 'internal',
  enforce: given.enforce ?? 'off',
  deprecation:
    given.deprecation === undefined ? null : { reason: null, sunset_at: null, successor: null, ...given.deprecation },
});

/** A stored type as it was given. */
export function contentOf({ description, notes, category, visibility, enforce, ...row }: EventTypeRow): TypeContent {
  const deprecation = row.deprecation && withoutSince(row.deprecation);
  return { description, notes, category, visibility, enforce, deprecation };
}

const withoutSince = ({ since: _since, ...given }: NonNullable<EventTypeRow['deprecation']>) => given;

/** The same without the defaults, to be patched. */
export const givenType = ({ category, deprecation, ...content }: TypeContent): GivenType => ({
  ...content,
  ...(category !== null && { category }),
  ...(deprecation !== null && {
    deprecation: Object.fromEntries(Object.entries(deprecation).filter(([, value]) => value !== null)),
  }),
});

/** Checks what the schemas of routes do not say. */
export function contentErrors({ deprecation }: TypeContent): FieldErrors {
  const read = deprecation?.sunset_at == null ? undefined : readInstant(deprecation.sunset_at);
  return read !== undefined && 'message' in read ? [{ field: '/deprecation/sunset_at', message: read.message }] : [];
}

export function nameErrors(name: string, field = '/name'): FieldErrors {
  if (!isEventTypeName(name)) return [{ field, message: `must be ${typeName.description}` }];
  return reservedTypeNames.includes(name) ? [{ field, message: 'is reserved: it is part of a path of the API' }] : [];
}
