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
import { dateTime, displayName } from './fields.ts';
import { component } from './operation.ts';
import {
  closedObject,
  count,
  extend,
  flag,
  id,
  jsonSchema,
  list,
  map,
  nullable,
  object,
  oneOf,
  saying,
  type Static,
  text,
  textIn,
  textOf,
  time,
  unknownValue,
} from './schema.ts';

export const typeName = {
  type: 'string',
  maxLength: 255,
  pattern: eventTypeNamePattern,
  description:
    'up to 255 characters of one line, without `*`, `[` and `]`, a blank at an end or two in a row, and `.` or `..` between slashes',
} as const;

const longText = textOf({ maxLength: 20_000, pattern: '^[^\\u0000]*$', description: 'text' });
export const reason = textOf({ maxLength: 1_000, pattern: '^[^\\u0000]*$', description: 'text' });
export const instant = saying('an RFC 3339 date-time', dateTime);

export const typeFields = {
  description: longText,
  notes: longText,
  category: displayName,
  visibility: textIn(eventTypeVisibilities),
  enforce: textIn(eventTypeEnforcements),
  deprecation: closedObject({}, { reason, sunset_at: instant, successor: typeName }),
};

/** The description of a type, without its name and its versions. */
export const givenEventType = closedObject({}, typeFields);

export const versionFields = {
  schema: {
    description: 'JSON Schema 2020-12 of the payload',
    if: { type: 'boolean' },
    then: {},
    else: { type: 'object', maxProperties: maxSchemaBytes },
  },
  example: saying('a payload that matches the schema', unknownValue),
  version_notes: longText,
  breaking: saying('true: the version may break receivers', flag),
} as const;

const version = saying('counts from 1', count);
const visibility = oneOf(eventTypeVisibilities);
const date = textOf({ format: 'date' });

const link = object({ target: nullable(text), status: oneOf(eventTypeStatuses), visibility });

/** `target`: the current name; null if it is retired, and then the link is text. */
export type TypeLink = Static<typeof link>;

export const eventTypeSummary = component(
  'EventTypeSummary',
  object({
    id: id('typ'),
    name: text,
    status: oneOf(eventTypeStatuses),
    visibility: saying('`public`: everybody; `portal`: customers, too; `internal`: the tenant alone', visibility),
    category: nullable(text),
    groups: saying('the prefixes before its dots: `a.b.c` is in `a` and `a.b`', list(text)),
    description: saying('`[[name]]` links to another type', text),
    notes: text,
    words: saying('words of its description, its notes and the descriptions of its fields', count),
    enforce: saying(
      'what happens to an event that does not match the newest schema: accepted, accepted with the tag `schema`, refused. Webhooks are tagged, never refused',
      oneOf(eventTypeEnforcements),
    ),
    paused: nullable(object({ since: time, reason: nullable(text), until: nullable(time) })),
    deprecation: nullable(
      object({ since: time, reason: nullable(text), sunset_at: nullable(time), successor: nullable(text) }),
    ),
    aliases: saying(
      'its other names, which redirect here',
      list(object({ name: text, kind: oneOf(aliasKinds), since: time })),
    ),
    links: saying('links of its texts by the name that is written; a null `target` is retired', map(link)),
    version: saying('the newest version', nullable(version)),
    created_at: time,
    changed_at: time,
    retired_at: nullable(time),
  }),
);

export type EventTypeSummary = Static<typeof eventTypeSummary.schema>;

const difference = object({
  field: saying('such as `data.items[].id`; empty: the whole payload', text),
  change: saying(
    '`unlisted`: there may be more differences, beyond the 200 that are listed or the 20,000 parts of a schema that are compared',
    oneOf(['added', 'removed', 'narrowed', 'widened', 'required', 'optional', 'unlisted']),
  ),
  breaking: flag,
});
const differences = list(difference);

export type SchemaDifference = Static<typeof difference>;

const field = object({
  path: saying('such as `customer.address.city`, `lines[].amount`', text),
  type: saying('such as `string (date-time)`, `integer or null`, `"a" or "b"`', text),
  required: flag,
  description: text,
});

export type EventTypeField = Static<typeof field>;

export const eventTypeVersion = component(
  'EventTypeVersion',
  object({
    version,
    schema: saying('JSON Schema 2020-12', jsonSchema),
    example: saying('a payload that matches the schema, as it was given; null: none', unknownValue),
    example_generated: saying(
      'whether the example was made from the schema, as Hookline did up to its version 0.2',
      flag,
    ),
    notes: text,
    compatibility: saying('against the version before', oneOf(versionCompatibilities)),
    differences: saying('from the version before', differences),
    fields: saying(
      'its named fields, at most 500; null: published by an earlier release, and not found yet',
      nullable(list(field)),
    ),
    fields_truncated: saying('whether there are more', flag),
    published_at: time,
  }),
);

export type EventTypeVersion = Static<typeof eventTypeVersion.schema>;

export const eventType = component(
  'EventType',
  extend(eventTypeSummary.schema, { newest: nullable(eventTypeVersion.schema) }),
);

export type EventType = Static<typeof eventType.schema>;

export const eventTypeAlias = component(
  'EventTypeAlias',
  object({
    name: text,
    kind: oneOf(aliasKinds),
    target: saying('the current name, also in `Location`', text),
  }),
);

export type EventTypeAlias = Static<typeof eventTypeAlias.schema>;

export const eventTypeChange = component(
  'EventTypeChange',
  object({
    id: id('etc'),
    at: time,
    change: oneOf(eventTypeChanges),
    name: saying('after the change; of a merged type, the name that it had', text),
    target: saying('the name today; null: retired', nullable(text)),
    visibility,
    version: nullable(version),
    compatibility: nullable(oneOf(versionCompatibilities)),
    from: saying('the name before a rename', nullable(text)),
    into: saying('the type that it was merged into', nullable(text)),
    notes: nullable(text),
  }),
);

export type EventTypeChange = Static<typeof eventTypeChange.schema>;

export const observedType = component(
  'ObservedType',
  object({
    type: text,
    first_day: saying('of the days that are kept (UTC)', date),
    last_day: date,
    received_24h: saying('events in the last 24 hours', count),
  }),
);

export type ObservedType = Static<typeof observedType.schema>;

export const eventTypeImport = component(
  'EventTypeImport',
  object({
    dry_run: flag,
    created: list(text),
    changed: list(
      object({
        name: text,
        fields: saying('what changes of its description', list(text)),
        version: saying('the version that is published', nullable(version)),
        compatibility: nullable(oneOf(versionCompatibilities)),
        differences,
      }),
    ),
    unchanged: list(text),
    refused: saying('types that are left out', list(object({ name: text, reason: text }))),
    left_out: saying(
      'parts that are left out of types: `example`, or a member such as `category`',
      list(object({ name: text, part: text, reason: text })),
    ),
  }),
);

export type EventTypeImport = Static<typeof eventTypeImport.schema>;
