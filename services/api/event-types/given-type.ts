import type { givenEventType, Static } from '#lib/api-contract';
import { type EventTypeEnforcement, type EventTypeVisibility, reservedTypeNames } from '#lib/contract';
import { readInstant } from '../http/filters.ts';
import type { FieldErrors } from '../http/send-problem.ts';

/** A type as clients give it, but its name. */
export type GivenType = Static<typeof givenEventType>;

/** A type with the defaults of what was not said. */
export interface TypeContent {
  description: string;
  notes: string;
  category: string | null;
  visibility: EventTypeVisibility;
  enforce: EventTypeEnforcement;
  deprecation: { reason: string | null; sunset_at: string | null; successor: string | null } | null;
}

export const typeContent = (given: GivenType): TypeContent => ({
  description: given.description ?? '',
  notes: given.notes ?? '',
  category: given.category ?? null,
  visibility: given.visibility ?? 'internal',
  enforce: given.enforce ?? 'off',
  deprecation:
    given.deprecation === undefined
      ? null
      : {
          reason: given.deprecation.reason ?? null,
          sunset_at: given.deprecation.sunset_at ?? null,
          successor: given.deprecation.successor ?? null,
        },
});

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
  const sunset = deprecation?.sunset_at ?? null;
  const read = sunset === null ? undefined : readInstant(sunset);
  return read !== undefined && 'message' in read ? [{ field: '/deprecation/sunset_at', message: read.message }] : [];
}

export const nameErrors = (name: string, field = '/name'): FieldErrors =>
  reservedTypeNames.includes(name) ? [{ field, message: 'is reserved: it is part of a path of the API' }] : [];
