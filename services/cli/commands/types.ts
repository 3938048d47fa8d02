import type { Client } from '#client';
import { placeOfName } from '#lib/contract';
import { apiVerbs } from '../api-calls/api-verb.ts';
import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { queryOf, readJsonFile, readLimit } from '../options/values.ts';
import { columns, describe, jsonText } from '../output/print.ts';
import { flag, text, type Values } from '../verb.ts';

const { apiVerb, listVerb } = apiVerbs('event types');

const contentOptions = {
  description: text('TEXT', 'what the event means'),
  notes: text('TEXT', 'known issues and advice'),
  category: text('NAME', 'a heading to list it under'),
  visibility: text('WHO', 'public, portal or internal (default: internal)'),
  enforce: text('WHAT', 'for events that do not match: off, tag or reject (webhooks are tagged)'),
} as const;

const versionOptions = {
  schema: text('FILE', 'a JSON Schema; `-` reads the standard input'),
  example: text('FILE', 'a payload that matches it (default: none)'),
} as const;

const readVersion = async (context: Context, { schema, example }: Partial<Values<typeof versionOptions>>) => ({
  schema: await readJsonFile(context, 'schema', schema),
  example: await readJsonFile(context, 'example', example),
});

/** So many come within the time-out of a request, however large each of them is. */
const exportedAtOnce = 200;

/** One document, put together from those that the API sends. */
async function exportTypes(api: Client, query: URLSearchParams, limit: number): Promise<object> {
  query.set('limit', String(Math.min(limit, exportedAtOnce)));
  const first = await api.part('GET /v1/event-types/export', { query });
  const webhooks = webhooksIn(first.value);
  for (let { next } = first; next !== undefined && webhooks.length < limit;) {
    const part = await api.part('GET /v1/event-types/export', { query: next });
    webhooks.push(...webhooksIn(part.value));
    next = part.next;
  }
  return { ...first.value, webhooks: Object.fromEntries(webhooks.slice(0, limit)) };
}

const webhooksIn = ({ webhooks }: Readonly<Record<string, unknown>>): [name: string, webhook: unknown][] =>
  Object.entries(webhooks as object);

const said = ({ name, status }: { name: string; status: string }): string => `${name} is ${status}`;

export const types = {
  list: listVerb({
    summary: 'List event types',
    description: 'Lists the event types by name, without the retired ones unless --status retired asks for them.',
    options: {
      status: text('STATUS', 'active, paused, deprecated or retired'),
      group: text('PREFIX', 'whose names begin with this and a dot'),
    },
    call: (api, { status, group, most }) =>
      api.list('GET /v1/event-types', most, { query: queryOf({ status, group }) }),
    show: columns('name', 'status', 'version', 'visibility', 'enforce', 'words'),
  }),
  observed: apiVerbs('types').listVerb({
    summary: 'List types of events that no event type describes',
    description:
      'Lists what goes through under a name that no event type has: when it was seen, and how often within 24 hours.',
    call: (api, { most }) => api.list('GET /v1/event-types/observed', most),
    show: columns('type', 'first_day', 'last_day', 'received_24h'),
  }),
  show: apiVerb({
    summary: 'Show an event type with its newest version',
    description: 'Shows what is said of an event type, its former names, and its newest schema with an example.',
    argument: 'name',
    call: (api, _values, { name }) => api.call('GET /v1/event-types/:name', placeOfName(name)),
  }),
  create: apiVerb({
    summary: 'Create an event type',
    description: 'Creates an event type. With --schema, its version 1 is published.',
    argument: 'name',
    options: { ...contentOptions, ...versionOptions },
    async call(api, { description, notes, category, visibility, enforce, ...files }, { name }, context) {
      const content = { description, notes, category, visibility, enforce };
      const body = { name, ...content, ...(await readVersion(context, files)) };
      return api.call('POST /v1/event-types', { body: JSON.stringify(body) });
    },
    show: said,
  }),
  publish: apiVerb({
    summary: 'Publish a version of an event type',
    description:
      'Publishes a schema as the next version of an event type. One that breaks receivers is refused without --breaking; one that is the same as the newest is no version.',
    argument: 'name',
    options: {
      ...versionOptions,
      notes: text('TEXT', 'what changed'),
      breaking: flag('it may break receivers'),
    },
    async call(api, { notes, breaking, ...files }, { name }, context) {
      if (files.schema === undefined) throw usageFailure('missing --schema');
      const body = { ...(await readVersion(context, files)), notes, breaking };
      return api.call('POST /v1/event-types/:name/versions', { ...placeOfName(name), body: JSON.stringify(body) });
    },
    show: ({ name, version }) => `${name} has version ${String(version)}`,
  }),
  rename: apiVerb({
    summary: 'Give an event type another name',
    description: 'Renames an event type. Its former names lead to the new one, and are given to no other type.',
    argument: 'name',
    options: { to: text('NAME', 'the new name') },
    call: (api, { to }, { name }) => {
      if (to === undefined) throw usageFailure('missing --to');
      return api.call('POST /v1/event-types/:name/rename', { ...placeOfName(name), body: { to } });
    },
    show: said,
  }),
  merge: apiVerb({
    summary: 'Merge an event type into another',
    description:
      'Merges an event type: all its names lead to the other one. If that lacks a field of it, give a --reason.',
    argument: 'name',
    options: { into: text('NAME', 'the other event type'), reason: text('TEXT', 'why fields may be missing') },
    call: (api, { into, reason }, { name }) => {
      if (into === undefined) throw usageFailure('missing --into');
      return api.call('POST /v1/event-types/:name/merge', { ...placeOfName(name), body: { into, reason } });
    },
    show: said,
  }),
  pause: apiVerb({
    summary: 'Say that nothing of an event type is sent for now',
    description: 'Marks an event type as paused on its pages. It stops no events.',
    argument: 'name',
    options: { reason: text('TEXT', 'why'), until: text('TIME', 'the end, in RFC 3339') },
    call: (api, { reason, until }, { name }) =>
      api.call('POST /v1/event-types/:name/pause', { ...placeOfName(name), body: { reason, until } }),
    show: said,
  }),
  resume: apiVerb({
    summary: 'End the pause of an event type',
    description: 'Ends the pause of an event type.',
    argument: 'name',
    call: (api, _values, { name }) => api.call('POST /v1/event-types/:name/resume', placeOfName(name)),
    show: said,
  }),
  retire: apiVerb({
    summary: 'Retire an event type for ever',
    description: 'Retires an event type: it is 410 under all its names, and none of them is given to another type.',
    argument: 'name',
    call: async (api, _values, { name }) => {
      await api.call('DELETE /v1/event-types/:name', placeOfName(name));
      return { name, status: 'retired' };
    },
    show: said,
  }),
  import: apiVerb({
    summary: 'Import event types from a document',
    description:
      'Imports the webhooks of an OpenAPI document, or JSON Schemas by the names of their types. What can’t be imported is left out and named, and the exit code is 1 if types are; with --strict nothing is imported then. --dry-run says what would change.',
    argument: 'file',
    options: {
      visibility: text('WHO', 'of all of them: public, portal or internal'),
      breaking: flag('versions may break receivers'),
      strict: flag('import nothing if anything would be left out'),
      'dry-run': flag('say what would change; change nothing'),
    },
    async call(api, { visibility, breaking, strict, 'dry-run': isDryRun }, { file }, context) {
      const document = await readJsonFile(context, 'file', file);
      const body = { document, visibility, breaking, ...(strict && { strict }), dry_run: isDryRun };
      return api.call('POST /v1/event-types/import', { body: JSON.stringify(body) });
    },
    show: ({ created, changed, unchanged, refused, left_out: leftOut }, screen) => {
      const shown = {
        created: created.join(', ') || '-',
        changed:
          changed.map(({ name, version }) => (version === null ? name : `${name} (version ${version})`)).join(', ') ||
          '-',
        unchanged: unchanged.length,
        ...Object.fromEntries(refused.map(({ name, reason }) => [`refused ${name}`, reason])),
        ...Object.fromEntries(leftOut.map(({ name, part, reason }) => [`left out ${name}: ${part}`, reason])),
      };
      return describe(shown, screen);
    },
    exitCode: ({ refused }) => (refused.length > 0 ? 1 : 0),
  }),
  export: apiVerb({
    summary: 'Print event types as an OpenAPI document',
    description: 'Prints an OpenAPI 3.1 document with the event types as webhooks. Importing it changes nothing.',
    options: {
      visibility: text('WHO', 'public, portal or internal (default: all)'),
      group: text('PREFIX', 'of this group'),
      limit: text('N', 'the first so many by name (default: all)'),
    },
    call: (api, { visibility, group, limit }) => exportTypes(api, queryOf({ visibility, group }), readLimit(limit)),
    show: (document) => jsonText(document, 2),
  }),
};
