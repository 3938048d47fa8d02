import {
  createEventType,
  getEventType,
  givenEventType,
  listEventTypeChanges,
  listEventTypes,
  listObservedTypes,
  mergeEventType,
  pauseEventType,
  putEventType,
  renameEventType,
  resumeEventType,
  retireEventType,
  typeName,
  updateEventType,
} from '#lib/api-contract';
import { isEventTypeName } from '#lib/contract';
import { AppError } from '#lib/runtime';
import { bodyLimits } from '../http/body-limits.ts';
import { hasTag, sendResource } from '../http/etag.ts';
import { readFilters } from '../http/filters.ts';
import { readPage, takePage } from '../http/paging.ts';
import { mergePatch, optionalBody, readPatched } from '../http/patch-body.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Route, serve } from '../route.ts';
import { pauseType, resumeType, retireType } from './change-status.ts';
import { changeId, changesOf, listChanges } from './changes.ts';
import { createType, describeType } from './describe-type.ts';
import { exportDocument, importDocument } from './document-routes.ts';
import { contentErrors, givenType, type GivenType, nameErrors, typeContent } from './given-type.ts';
import { mergeType, renameType } from './move-names.ts';
import { serveNamed } from './named-route.ts';
import { inTurn, lackedBy, type Prepared, prepareVersion } from './prepare-version.ts';
import { eventTypeFilters, findEventType, queryEventTypes, queryObservedTypes, typesRevision } from './queries.ts';
import { sendPrepared, sendRefused, sendType, takeNamed } from './send-type.ts';
import { audienceOf, eventTypeOf, ifShown, summariesOf } from './shown-types.ts';
import { changePrepared, changeTypes, type Refused, type TypeChanged } from './type-transaction.ts';
import { getVersion, publishVersion, versions } from './version-routes.ts';

const create = serve(
  createEventType,
  (deps) => async (request, reply) => {
    const { name, ...given } = request.body;
    const content = typeContent(given);
    const { version, errors } = await prepareVersion(
      deps,
      {
        ...request.documents.members,
        ...(given.version_notes !== undefined && { version_notes: given.version_notes }),
      },
      { tenant: request.tenant, signal: request.left, name: undefined },
    );
    const all = [...nameErrors(name), ...contentErrors(content), ...errors];
    if (all.length > 0) return sendInvalid(reply, all);
    const created = await changePrepared(request, deps, {
      prepare: async () => version,
      work: (changing) => createType(changing, { name, content, version }),
    });
    return sendPrepared(reply, created, deps);
  },
  () => ({ bodyLimit: bodyLimits.eventType, documents: { members: ['schema', 'example'] }, inGroups: true }),
);

const list = serve(listEventTypes, ({ postgres, apiUrl }) => async (request, reply) => {
  const { tenant, query } = request;
  const page = readPage(query, { test: isEventTypeName });
  if ('errors' in page) return sendInvalid(reply, page.errors);
  const read = readFilters(eventTypeFilters, query);
  if ('errors' in read) return sendInvalid(reply, read.errors);
  const audience = audienceOf(request.caller, read.filter.visibility);
  const filter = { ...read.filter, visibility: audience };
  const etag = `"${await typesRevision(postgres, tenant)}"`;
  void reply.headers({
    'cache-control': 'private, no-cache',
    vary: 'Authorization, Hookline-Tenant',
    etag: `W/${etag}`,
  });
  if (hasTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const rows = await queryEventTypes(postgres, tenant, filter, page);
  const shown = takePage(rows, page.limit, ({ name }) => ({ cursor: name }), { request, reply, apiUrl });
  return summariesOf(postgres, tenant, shown, audience);
});

const changes = serve(listEventTypeChanges, ({ postgres, apiUrl }) => async (request, reply) => {
  const { tenant, query } = request;
  const page = readPage(query, changeId);
  if ('errors' in page) return sendInvalid(reply, page.errors);
  const audience = audienceOf(request.caller, query.visibility);
  const rows = await listChanges(postgres, tenant, audience, page);
  const shown = takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl });
  return changesOf(postgres, tenant, shown, audience);
});

/** Any type that an event may have. */
const anyType = /^[^\0]{1,1024}$/s;

const observed = serve(listObservedTypes, ({ postgres, apiUrl }) => async (request, reply) => {
  const page = readPage(request.query, anyType);
  if ('errors' in page) return sendInvalid(reply, page.errors);
  const rows = await queryObservedTypes(postgres, request.tenant, page);
  return takePage(rows, page.limit, ({ type }) => ({ cursor: type }), { request, reply, apiUrl });
});

const get = serveNamed(getEventType, ({ postgres }) => async (request, reply) => {
  const { tenant, params, query } = request;
  const audience = audienceOf(request.caller, query.visibility);
  const shown = ifShown(audience, await findEventType(postgres, tenant, params.name));
  const found = takeNamed(reply, shown, { name: params.name });
  if ('sent' in found) return found.sent;
  return sendResource(reply, found, await eventTypeOf(postgres, tenant, found, audience));
});

const put = serveNamed(
  putEventType,
  (deps) => async (request, reply) => {
    const { body: given, params, headers } = request;
    const { name } = params;
    const content = typeContent(given);
    const { version_notes: notes, breaking } = given;
    const prepare = () =>
      prepareVersion(
        deps,
        {
          ...request.documents.members,
          ...(notes !== undefined && { version_notes: notes }),
          ...(breaking !== undefined && { breaking }),
        },
        { tenant: request.tenant, signal: request.left, name },
      );
    const first = await prepare();
    const wrong = isEventTypeName(name)
      ? nameErrors(name, 'name')
      : [{ field: 'name', message: `must be ${typeName.description}` }];
    const all = [...wrong, ...contentErrors(content), ...first.errors];
    if (all.length > 0) return sendInvalid(reply, all);
    const ifMatch = headers['if-match'];
    const changed = await changePrepared<Prepared, TypeChanged | Refused>(request, deps, {
      prepare: inTurn(first, prepare),
      async work(changing, { version, errors }) {
        if (errors.length > 0) return { errors };
        const isThere = (await findEventType(changing.tx, changing.tenant, name)) !== undefined;
        if (isThere) return describeType(changing, { name, content: () => content, version, ifMatch });
        if (ifMatch !== undefined) return { refused: 'precondition_failed' as const };
        return createType(changing, { name, content, version });
      },
    });
    return sendPrepared(reply, changed, deps);
  },
  () => ({ bodyLimit: bodyLimits.eventType, documents: { members: ['schema', 'example'] }, inGroups: true }),
);

const update = serveNamed(
  updateEventType,
  (deps) => async (request, reply) => {
    const { body: patch, params, headers } = request;
    const result = await changeTypes(request, deps, (changing) =>
      describeType(changing, {
        name: params.name,
        version: undefined,
        ifMatch: headers['if-match'],
        content(stored) {
          const patched = readPatched<GivenType>(request, givenEventType, mergePatch(givenType(stored), patch));
          if ('errors' in patched) return patched;
          const content = typeContent(patched.read);
          const errors = contentErrors(content);
          return errors.length > 0 ? { errors } : content;
        },
      }),
    );
    // Without a version there is none that another could come before.
    if ('stale' in result) throw new AppError('bug', 'stale without a version');
    return sendType(reply, result, deps);
  },
  () => ({ bodyLimit: bodyLimits.eventTypeTexts }),
);

const retire = serveNamed(retireEventType, (deps) => async (request, reply) => {
  const result = await changeTypes(request, deps, (changing) =>
    retireType(changing, { name: request.params.name, ifMatch: request.headers['if-match'] }),
  );
  if (!('retired' in result)) return sendRefused(reply, result, deps);
  return reply.code(204).send();
});

const rename = serveNamed(renameEventType, (deps) => async (request, reply) => {
  const { params, body: given, headers } = request;
  const result = await changeTypes(request, deps, (changing) =>
    renameType(changing, { name: params.name, to: given.to, ifMatch: headers['if-match'] }),
  );
  return sendType(reply, result, deps);
});

const merge = serveNamed(
  mergeEventType,
  (deps) => async (request, reply) => {
    const { params, body: given, headers } = request;
    const { name } = params;
    const { into, reason } = given;
    const changed = await changePrepared(request, deps, {
      prepare: () => lackedBy(deps, request.tenant, [name, into]),
      work: (changing, lacked) => mergeType(changing, { name, into, reason, ifMatch: headers['if-match'], lacked }),
    });
    return sendPrepared(reply, changed, deps);
  },
  () => ({ inGroups: true }),
);

const pause = serveNamed(
  pauseEventType,
  (deps) => async (request, reply) => {
    const { params, body: given, headers } = request;
    const result = await changeTypes(request, deps, (changing) =>
      pauseType(changing, {
        name: params.name,
        reason: given.reason,
        until: given.until,
        ifMatch: headers['if-match'],
      }),
    );
    return sendType(reply, result, deps);
  },
  () => ({ preValidation: optionalBody }),
);

const resume = serveNamed(
  resumeEventType,
  (deps) => async (request, reply) => {
    const result = await changeTypes(request, deps, (changing) =>
      resumeType(changing, { name: request.params.name, ifMatch: request.headers['if-match'] }),
    );
    return sendType(reply, result, deps);
  },
  () => ({ preValidation: optionalBody }),
);

export const eventTypeRoutes: readonly Route[] = [
  create,
  list,
  changes,
  observed,
  importDocument,
  exportDocument,
  get,
  put,
  update,
  retire,
  rename,
  merge,
  pause,
  resume,
  versions,
  getVersion,
  publishVersion,
];
