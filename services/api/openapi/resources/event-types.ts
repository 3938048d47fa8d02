import {
  eventTypeChanges,
  eventTypeEnforcements,
  eventTypeStatuses,
  eventTypeVisibilities,
  versionCompatibilities,
} from '#lib/contract';
import type { DocumentedResource } from '../operation.ts';
import { count, extend, flag, id, list, map, nullable, object, oneOf, saying, text, time } from '#lib/api-contract';

const version = saying('counts from 1', count);
const visibility = oneOf(eventTypeVisibilities);
const date = { type: 'string', format: 'date' };
const anyJson = (description: string) => ({ description });

const summary = object({
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
    list(object({ name: text, kind: oneOf(['renamed', 'merged']), since: time })),
  ),
  links: saying(
    'links of its texts by the name that is written; a null `target` is retired',
    map(object({ target: nullable(text), status: oneOf(eventTypeStatuses), visibility })),
  ),
  version: saying('the newest version', nullable(version)),
  created_at: time,
  changed_at: time,
  retired_at: nullable(time),
});

const differences = list(
  object({
    field: saying('such as `data.items[].id`; empty: the whole payload', text),
    change: saying(
      '`unlisted`: there may be more differences, beyond the 200 that are listed or the 20,000 parts of a schema that are compared',
      oneOf(['added', 'removed', 'narrowed', 'widened', 'required', 'optional', 'unlisted']),
    ),
    breaking: flag,
  }),
);

const typeVersion = object({
  version,
  schema: saying('JSON Schema 2020-12', { type: ['object', 'boolean'], additionalProperties: true }),
  example: anyJson('a payload that matches the schema, as it was given; null: none'),
  example_generated: saying(
    'whether the example was made from the schema, as Hookline did up to its version 0.2',
    flag,
  ),
  notes: text,
  compatibility: saying('against the version before', oneOf(versionCompatibilities)),
  differences: saying('from the version before', differences),
  fields: saying(
    'its named fields, at most 500; null: published by an earlier release, and not found yet',
    nullable(
      list(
        object({
          path: saying('such as `customer.address.city`, `lines[].amount`', text),
          type: saying('such as `string (date-time)`, `integer or null`, `"a" or "b"`', text),
          required: flag,
          description: text,
        }),
      ),
    ),
  ),
  fields_truncated: saying('whether there are more', flag),
  published_at: time,
});

export const documentedEventTypes: DocumentedResource = {
  tag: 'Event types',
  description:
    'Event types say what a tenant’s events are: names with versions of a JSON Schema. A name never belongs to a second type: former names redirect to the current one, and retired ones are 410.',
  schemas: {
    EventTypeSummary: summary,
    EventType: extend(summary, { newest: nullable(typeVersion) }),
    EventTypeVersion: typeVersion,
    EventTypeAlias: object({
      name: text,
      kind: oneOf(['renamed', 'merged']),
      target: saying('the current name, also in `Location`', text),
    }),
    EventTypeChange: object({
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
    ObservedType: object({
      type: text,
      first_day: saying('of the days that are kept (UTC)', date),
      last_day: date,
      received_24h: saying('events in the last 24 hours', count),
    }),
    EventTypeImport: object({
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
  },
};
