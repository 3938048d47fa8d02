/** Event types, as they are given and as they are shown. */
import {
  aliasKinds,
  eventTypeChanges,
  eventTypeEnforcements,
  eventTypeNamePattern,
  eventTypeStatuses,
  eventTypeVisibilities,
  maxSchemaBytes,
  versionCompatibilities,
} from '#lib/contract';
import { anyTextOf, dateTime, displayName } from './fields.ts';
import { component } from './operation.ts';
import * as t from './schema.ts';

export const typeName = {
  type: 'string',
  maxLength: 255,
  pattern: eventTypeNamePattern,
  description:
    'up to 255 characters of one line, without `*`, `[` and `]`, a blank at an end or two in a row, and `.` or `..` between slashes',
} as const;

const longText = anyTextOf(20_000);
export const reason = anyTextOf(1_000);
export const instant = t.saying('an RFC 3339 date-time', dateTime);

export const typeFields = {
  description: longText,
  notes: longText,
  category: displayName,
  visibility: t.textIn(eventTypeVisibilities),
  enforce: t.textIn(eventTypeEnforcements),
  deprecation: t.optionalFields({ reason, sunset_at: instant, successor: typeName }),
};

/** The description of a type, without its name and its versions. */
export const givenEventType = t.optionalFields(typeFields);

export const versionFields = {
  schema: {
    description: 'JSON Schema 2020-12 of the payload',
    if: { type: 'boolean' },
    then: {},
    else: { type: 'object', maxProperties: maxSchemaBytes },
  },
  example: t.saying('a payload that matches the schema', t.unknownValue),
  version_notes: longText,
  breaking: t.saying('true: the version may break receivers', t.flag),
} as const;

const version = t.saying('counts from 1', t.count);
const visibility = t.oneOf(eventTypeVisibilities);
const date = t.textOf({ format: 'date' });

const link = t.object({ target: t.nullable(t.text), status: t.oneOf(eventTypeStatuses), visibility });

/** `target`: the current name; null if it is retired, and then the link is text. */
export type TypeLink = t.Static<typeof link>;

export const eventTypeSummary = component(
  'EventTypeSummary',
  t.object({
    id: t.id('typ'),
    name: t.text,
    status: t.oneOf(eventTypeStatuses),
    visibility: t.saying('`public`: everybody; `portal`: customers, too; `internal`: the tenant alone', visibility),
    category: t.nullable(t.text),
    groups: t.saying('the prefixes before its dots: `a.b.c` is in `a` and `a.b`', t.list(t.text)),
    description: t.saying('`[[name]]` links to another type', t.text),
    notes: t.text,
    words: t.saying('words of its description, its notes and the descriptions of its fields', t.count),
    enforce: t.saying(
      'what happens to an event that does not match the newest schema: accepted, accepted with the tag `schema`, refused. Webhooks are tagged, never refused',
      t.oneOf(eventTypeEnforcements),
    ),
    paused: t.nullable(t.object({ since: t.time, reason: t.nullable(t.text), until: t.nullable(t.time) })),
    deprecation: t.nullable(
      t.object({
        since: t.time,
        reason: t.nullable(t.text),
        sunset_at: t.nullable(t.time),
        successor: t.nullable(t.text),
      }),
    ),
    aliases: t.saying(
      'its other names, which redirect here',
      t.list(t.object({ name: t.text, kind: t.oneOf(aliasKinds), since: t.time })),
    ),
    links: t.saying('links of its texts by the name that is written; a null `target` is retired', t.map(link)),
    version: t.saying('the newest version', t.nullable(version)),
    created_at: t.time,
    changed_at: t.time,
    retired_at: t.nullable(t.time),
  }),
);

export type EventTypeSummary = t.Static<typeof eventTypeSummary.schema>;

const difference = t.object({
  field: t.saying('such as `data.items[].id`; empty: the whole payload', t.text),
  change: t.saying(
    '`unlisted`: there may be more differences, beyond the 200 that are listed or the 20,000 parts of a schema that are compared',
    t.oneOf(['added', 'removed', 'narrowed', 'widened', 'required', 'optional', 'unlisted']),
  ),
  breaking: t.flag,
});
const differences = t.list(difference);

export type SchemaDifference = t.Static<typeof difference>;

const field = t.object({
  path: t.saying('such as `customer.address.city`, `lines[].amount`', t.text),
  type: t.saying('such as `string (date-time)`, `integer or null`, `"a" or "b"`', t.text),
  required: t.flag,
  description: t.text,
});

export type EventTypeField = t.Static<typeof field>;

export const eventTypeVersion = component(
  'EventTypeVersion',
  t.object({
    version,
    schema: t.saying('JSON Schema 2020-12', t.jsonSchema),
    example: t.saying('a payload that matches the schema, as it was given; null: none', t.unknownValue),
    example_generated: t.saying(
      'whether the example was made from the schema, as Hookline did up to its version 0.2',
      t.flag,
    ),
    notes: t.text,
    compatibility: t.saying('against the version before', t.oneOf(versionCompatibilities)),
    differences: t.saying('from the version before', differences),
    fields: t.saying(
      'its named fields, at most 500; null: published by an earlier release, and not found yet',
      t.nullable(t.list(field)),
    ),
    fields_truncated: t.saying('whether there are more', t.flag),
    published_at: t.time,
  }),
);

export type EventTypeVersion = t.Static<typeof eventTypeVersion.schema>;

export const eventType = component(
  'EventType',
  t.extend(eventTypeSummary.schema, { newest: t.nullable(eventTypeVersion.schema) }),
);

export type EventType = t.Static<typeof eventType.schema>;

export const eventTypeAlias = component(
  'EventTypeAlias',
  t.object({
    name: t.text,
    kind: t.oneOf(aliasKinds),
    target: t.saying('the current name, also in `Location`', t.text),
  }),
);

export type EventTypeAlias = t.Static<typeof eventTypeAlias.schema>;

export const eventTypeChange = component(
  'EventTypeChange',
  t.object({
    id: t.id('etc'),
    at: t.time,
    change: t.oneOf(eventTypeChanges),
    name: t.saying('after the change; of a merged type, the name that it had', t.text),
    target: t.saying('the name today; null: retired', t.nullable(t.text)),
    visibility,
    version: t.nullable(version),
    compatibility: t.nullable(t.oneOf(versionCompatibilities)),
    from: t.saying('the name before a rename', t.nullable(t.text)),
    into: t.saying('the type that it was merged into', t.nullable(t.text)),
    notes: t.nullable(t.text),
  }),
);

export type EventTypeChange = t.Static<typeof eventTypeChange.schema>;

export const observedType = component(
  'ObservedType',
  t.object({
    type: t.text,
    first_day: t.saying('of the days that are kept (UTC)', date),
    last_day: date,
    received_24h: t.saying('events in the last 24 hours', t.count),
  }),
);

export type ObservedType = t.Static<typeof observedType.schema>;

export const eventTypeImport = component(
  'EventTypeImport',
  t.object({
    dry_run: t.flag,
    created: t.list(t.text),
    changed: t.list(
      t.object({
        name: t.text,
        fields: t.saying('what changes of its description', t.list(t.text)),
        version: t.saying('the version that is published', t.nullable(version)),
        compatibility: t.nullable(t.oneOf(versionCompatibilities)),
        differences,
      }),
    ),
    unchanged: t.list(t.text),
    refused: t.saying('types that are left out', t.list(t.object({ name: t.text, reason: t.text }))),
    left_out: t.saying(
      'parts that are left out of types: `example`, or a member such as `category`',
      t.list(t.object({ name: t.text, part: t.text, reason: t.text })),
    ),
  }),
);

export type EventTypeImport = t.Static<typeof eventTypeImport.schema>;
