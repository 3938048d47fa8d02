import { eventTypeStatuses, eventTypeVisibilities, matchedWithinDays, maxTypesPerDay } from '#lib/contract';
import { limitTable } from '#lib/tenancy';
import {
  eventType,
  eventTypeAlias,
  eventTypeChange,
  eventTypeImport,
  eventTypeSummary,
  eventTypeVersion,
  givenEventType,
  instant,
  observedType,
  reason,
  typeFields,
  typeName,
  versionFields,
} from './event-type-schemas.ts';
import { filterText, searchText } from './fields.ts';
import { answer, operationsOf, page, pageQuery, parameter, resource } from './operation.ts';
import * as t from './schema.ts';

const operation = operationsOf('Event types');

const visibility = t.textIn(eventTypeVisibilities);
const { schema, example, version_notes, breaking } = versionFields;

/** Each operation of one type has it: behind a proxy that decodes or refuses `%2F`, no path reaches a name with a slash. */
const named = {
  name: parameter(
    t.textOf({ maxLength: 255 }),
    'the name, where the path has `-` in its place: for proxies that decode or refuse `%2F` in a path',
  ),
};

/** Each operation that changes one type has these. */
const changing = { query: named, errors: ['conflict'], conditional: true } as const;

/** By it, a key asks as somebody else sees a type. */
const audience = {
  visibility: parameter(
    visibility,
    'as which audience sees it: others’ types, and names that it had before it was theirs, are not named; default `internal`: all',
  ),
};

const filters = {
  visibility: parameter(visibility, 'who is to see them: `portal` has the public ones, too, and `internal` all'),
  category: parameter(filterText),
  group: parameter(filterText, 'a prefix before a dot: `a.b` has `a.b.c`'),
};

const after = answer(eventType, 'The event type after the change', 'ETag');
const alias = answer(eventTypeAlias, 'The name is an alias', 'Location');

export const createEventType = operation('POST', '/v1/event-types', {
  summary: 'Create an event type',
  description:
    'With a schema, its version 1 is published. A name that was ever given, to a type or as an alias, is 409.',
  access: { audit: 'event_type.create' },
  body: t.closedObject({ name: typeName }, { ...typeFields, schema, example, version_notes }),
  example: { name: 'order.paid', description: 'An order has been paid.' },
  answers: { 201: answer(eventType, 'The event type', 'Location', 'ETag') },
  errors: ['conflict'],
});

export const listEventTypes = operation('GET', '/v1/event-types', {
  summary: 'List event types by name',
  access: { capability: 'view' },
  query: {
    status: parameter(t.textIn(eventTypeStatuses), 'without it, all but the retired'),
    ...filters,
    q: parameter(searchText, 'text in the name, the description or the notes, in upper or lower case'),
    ...pageQuery,
  },
  answers: {
    200: {
      ...page(eventTypeSummary, 'Event types that match; without a status, those that are not retired'),
      headers: ['Link', 'ETag'],
    },
    304: {
      is: 'No event type of the tenant has changed since the response that `If-None-Match` names',
      headers: ['ETag'],
    },
  },
});

export const listEventTypeChanges = operation('GET', '/v1/event-types/changes', {
  summary: 'List changes of event types, newest first',
  query: {
    visibility: parameter(
      visibility,
      'who is to see them: `portal` has those of public types, too; default `internal`: all',
    ),
    ...pageQuery,
  },
  answers: { 200: page(eventTypeChange, 'Changes of event types') },
});

export const listObservedTypes = operation('GET', '/v1/event-types/observed', {
  summary: 'List the types of events that no event type describes',
  description: `What was received or published under a name that no event type has or had, within ${matchedWithinDays} days. A day has the first ${maxTypesPerDay} types that the tenant’s events had on it.`,
  query: pageQuery,
  answers: { 200: page(observedType, 'Types of events without a description, by name') },
});

export const importEventTypes = operation('POST', '/v1/event-types/import', {
  summary: 'Import the webhooks of an OpenAPI document, or JSON Schemas',
  description:
    'Types that do not exist are created, others are changed to match the document; types that the document does not name stay. What can’t be imported is left out and named: a type in `refused`, an example or another part of a type in `left_out`. With `strict`, or if no type can be imported, the answer is 409 and nothing is changed. Schemas of OpenAPI 3.0 and of older drafts of JSON Schema (by `$schema`) become 2020-12; a slash at the beginning of a webhook’s key is no part of the name. Repeated parts of a schema above 64 kB are put into `$defs`; if that is not enough, it loses its descriptions. At most 16 MB and 1000 types; its schemas may take a minute of a processor, and writing them two seconds (else 400: divide it).',
  access: { dryRunScope: 'read', audit: 'event_type.import' },
  body: t.closedObject(
    {
      document: {
        type: 'object',
        maxProperties: limitTable.event_types.max,
        description: 'an OpenAPI document, or JSON Schemas by the names of their types',
      } as const,
    },
    {
      visibility: t.saying('of all types', visibility),
      category: t.saying('of all types', typeFields.category),
      breaking: t.saying('whether versions may break receivers', t.flag),
      strict: t.saying('whether anything that would be left out refuses the whole document', t.flag),
      dry_run: t.saying('say what would change, change nothing', t.flag),
    },
  ),
  example: { document: { 'order.paid': { type: 'object' } }, dry_run: true },
  answers: { 200: answer(eventTypeImport, 'What was, or would be, imported') },
  errors: ['conflict'],
});

export const exportEventTypes = operation('GET', '/v1/event-types/export', {
  summary: 'Export event types as the webhooks of an OpenAPI document',
  description:
    'Importing the document changes nothing. It is sent as it is read. With `limit`, it has the first so many types by name, and `Link` leads to the document of the next ones. A tenant has two exports a second, with bursts of twenty.',
  query: {
    ...filters,
    ...pageQuery,
    limit: parameter(pageQuery.limit.schema, 'types in the document, 1 to 1000; default: all'),
  },
  answers: { 200: { is: 'An OpenAPI 3.1 document', body: t.anyObject, headers: ['Link'] } },
});

export const getEventType = operation('GET', '/v1/event-types/:name', {
  summary: 'Read an event type with its newest version',
  access: { capability: 'view' },
  query: { ...audience, ...named },
  answers: { 200: answer(eventType, 'The event type', 'ETag'), 301: alias },
  errors: ['gone'],
});

/** For those who keep their types in a file. */
export const putEventType = operation('PUT', '/v1/event-types/:name', {
  summary: 'Create an event type, or change it to this',
  description:
    'What is left out is reset to its default. A schema, an example or notes of a version that differ from the newest version are published as the next one; without a schema, versions stay as they are. The same request again changes nothing.',
  access: { audit: 'event_type.put' },
  body: t.optionalFields({ ...typeFields, ...versionFields }),
  answers: {
    200: after,
    201: answer(eventType, 'The event type, which is new', 'Location', 'ETag'),
  },
  ...changing,
});

export const updateEventType = operation('PATCH', '/v1/event-types/:name', {
  summary: 'Change what is said of an event type',
  description:
    'JSON merge patch: `null` resets a field to its default, and so `deprecation: null` ends a deprecation. Its name is changed with POST …/rename, its schema with POST …/versions.',
  access: { audit: 'event_type.update' },
  body: t.patchOf(givenEventType),
  example: { category: 'Orders' },
  answers: { 200: after },
  ...changing,
  patchOf: 'PUT /v1/event-types/{name}',
});

export const retireEventType = operation('DELETE', '/v1/event-types/:name', {
  summary: 'Retire an event type for ever',
  description:
    'The type is 410 from then on, under all its names, and no other type can have them. Events of it are sent as before.',
  access: { audit: 'event_type.retire' },
  answers: { 204: { is: 'The event type is retired' } },
  ...changing,
});

export const renameEventType = operation('POST', '/v1/event-types/:name/rename', {
  summary: 'Give an event type another name',
  description:
    'The former name redirects to the new one for ever. Renaming back reverses this. A name that another type has, had or was retired with is 409. Events keep the type that their publisher gives.',
  access: { audit: 'event_type.rename' },
  body: t.closedObject({ to: typeName }),
  example: { to: 'order.settled' },
  answers: { 200: answer(eventType, 'The event type under its new name', 'ETag') },
  ...changing,
});

export const mergeEventType = operation('POST', '/v1/event-types/:name/merge', {
  summary: 'Merge an event type into another',
  description:
    'All its names lead to the other type, for ever. If the schema of the other lacks a field of this one, a reason is needed (else 409).',
  access: { audit: 'event_type.merge' },
  body: t.closedObject({ into: typeName }, { reason }),
  example: { into: 'order.paid' },
  answers: { 200: answer(eventType, 'The other event type', 'ETag') },
  ...changing,
});

export const pauseEventType = operation('POST', '/v1/event-types/:name/pause', {
  summary: 'Announce that an event type is not sent for the time being',
  description: 'Its texts stay as they are. Pausing again changes the reason and the end. It stops no events.',
  access: { audit: 'event_type.pause' },
  body: t.optionalFields({ reason, until: instant }),
  answers: { 200: after },
  ...changing,
});

export const resumeEventType = operation('POST', '/v1/event-types/:name/resume', {
  summary: 'End the pause of an event type',
  access: { audit: 'event_type.resume' },
  body: t.closedObject({}),
  answers: { 200: after },
  ...changing,
});

export const listEventTypeVersions = operation('GET', '/v1/event-types/:name/versions', {
  summary: 'List versions of an event type, newest first',
  access: { capability: 'view' },
  query: {
    ...audience,
    ...pageQuery,
    limit: parameter(pageQuery.limit.schema, 'page size, 1 to 1000, of which at most 50 are on a page; default 100'),
    ...named,
  },
  answers: { 200: page(eventTypeVersion, 'Versions of the event type'), 301: alias },
  errors: ['gone'],
});

export const getEventTypeVersion = operation('GET', '/v1/event-types/:name/versions/:version', {
  summary: 'Read a version of an event type',
  access: { capability: 'view' },
  query: { ...audience, ...named },
  answers: { 200: answer(eventTypeVersion, 'The version'), 301: alias },
  errors: ['gone'],
});

export const publishEventTypeVersion = operation('POST', '/v1/event-types/:name/versions', {
  summary: 'Publish a version of an event type',
  description:
    'A version that breaks receivers (a field removed, narrowed, newly required, or no longer always there) needs `breaking: true`, else it is 409. If schema, example and notes are those of the newest version, nothing is published.',
  access: { audit: 'event_type.publish' },
  body: t.closedObject({ schema }, { example, breaking, notes: version_notes }),
  example: { schema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
  answers: {
    200: answer(eventType, 'The event type with its newest version', 'ETag'),
  },
  ...changing,
});

export const eventTypes = resource({
  tag: 'Event types',
  description:
    'Event types say what a tenant’s events are: names with versions of a JSON Schema. A name never belongs to a second type: former names redirect to the current one, and retired ones are 410.',
  components: [
    eventTypeSummary,
    eventType,
    eventTypeVersion,
    eventTypeAlias,
    eventTypeChange,
    observedType,
    eventTypeImport,
  ],
  operations: {
    createEventType,
    listEventTypes,
    listEventTypeChanges,
    listObservedTypes,
    importEventTypes,
    exportEventTypes,
    getEventType,
    putEventType,
    updateEventType,
    retireEventType,
    renameEventType,
    mergeEventType,
    pauseEventType,
    resumeEventType,
    listEventTypeVersions,
    getEventTypeVersion,
    publishEventTypeVersion,
  },
});
