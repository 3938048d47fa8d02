import { dateTime, displayName as category } from '#lib/api-contract';
import {
  type EventTypeEnforcement,
  type EventTypeVisibility,
  eventTypeEnforcements,
  eventTypeNamePattern,
  eventTypeVisibilities,
  maxSchemaBytes,
  reservedTypeNames,
} from '#lib/contract';
import { readInstant } from '../http/filters.ts';
import type { FieldErrors } from '../http/send-problem.ts';

/** A type as clients give it, but its name. */
export interface GivenType {
  description?: string;
  notes?: string;
  category?: string;
  visibility?: EventTypeVisibility;
  enforce?: EventTypeEnforcement;
  deprecation?: GivenDeprecation;
}

interface GivenDeprecation {
  reason?: string;
  sunset_at?: string;
  successor?: string;
}

/** A type with the defaults of what was not said. */
export interface TypeContent {
  description: string;
  notes: string;
  category: string | null;
  visibility: EventTypeVisibility;
  enforce: EventTypeEnforcement;
  deprecation: { reason: string | null; sunset_at: string | null; successor: string | null } | null;
}

export const typeName = {
  type: 'string',
  maxLength: 255,
  pattern: eventTypeNamePattern,
  description:
    'up to 255 characters of one line, without `*`, `[` and `]`, a blank at an end or two in a row, and `.` or `..` between slashes',
} as const;

const longText = { type: 'string', maxLength: 20_000, pattern: '^[^\\u0000]*$', description: 'text' } as const;
export const reason = { type: 'string', maxLength: 1_000, pattern: '^[^\\u0000]*$', description: 'text' } as const;
export const instant = { ...dateTime, description: 'an RFC 3339 date-time' } as const;

export const typeFields = {
  description: longText,
  notes: longText,
  category,
  visibility: { type: 'string', enum: eventTypeVisibilities },
  enforce: { type: 'string', enum: eventTypeEnforcements },
  deprecation: {
    type: 'object',
    additionalProperties: false,
    properties: { reason, sunset_at: instant, successor: typeName },
  },
} as const;

export const versionFields = {
  schema: {
    description: 'JSON Schema 2020-12 of the payload',
    if: { type: 'boolean' },
    then: {},
    else: { type: 'object', maxProperties: maxSchemaBytes },
  },
  example: { description: 'a payload that matches the schema' },
  version_notes: longText,
  breaking: { type: 'boolean', description: 'true: the version may break receivers' },
} as const;

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
