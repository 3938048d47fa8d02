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
import { mergeType, pauseType, renameType, resumeType, retireType } from './change-type.ts';
import { changeId, changesOf, listChanges } from './changes.ts';
import { createType, describeType } from './describe-type.ts';
import { exportDocument, importDocument } from './document-routes.ts';
import { contentErrors, givenType, type GivenType, nameErrors, typeContent } from './given-type.ts';
import { namedBy, serveNamed, servingVersion } from './named-route.ts';
import { lackedBy, prepareVersion } from './prepare-version.ts';
import { eventTypeFilters, findEventType, queryEventTypes, queryObservedTypes, typesRevision } from './queries.ts';
import { sendChanged, sendPrepared, sendRefused, takeNamed } from './send-type.ts';
import { audienceOf, eventTypeOf, summariesOf } from './shown-types.ts';
import { changeTypes } from './type-transaction.ts';
import { getVersion, publishVersion, versions } from './version-routes.ts';

const create = serve(
  createEventType,
  (deps) => async (request, reply) => {
    const { name, ...given } = request.body;
    const content = typeContent(given);
    const { version, errors } = await prepareVersion(deps, request, given);
    const all = [...nameErrors(name), ...contentErrors(content), ...errors];
    if (all.length > 0) return sendInvalid(reply, all);
    return sendPrepared(reply, deps, {
      prepared: version,
      prepareAgain: async () => version,
      work: (changing) => createType(changing, { name, content, version }),
    });
  },
  servingVersion,
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

const get = serveNamed(getEventType, (deps) => async (request, reply) => {
  const { tenant, params, query } = request;
  const audience = audienceOf(request.caller, query.visibility);
  const found = await takeNamed(reply, deps, { name: params.name, audience });
  if ('sent' in found) return found.sent;
  return sendResource(reply, found, await eventTypeOf(deps.postgres, tenant, found, audience));
});

const put = serveNamed(
  putEventType,
  (deps) => async (request, reply) => {
    const named = namedBy(request);
    const { name, ifMatch } = named;
    const content = typeContent(request.body);
    const prepareAgain = () => prepareVersion(deps, request, request.body, name);
    const prepared = await prepareAgain();
    const all = [...nameErrors(name, 'name'), ...contentErrors(content), ...prepared.errors];
    if (all.length > 0) return sendInvalid(reply, all);
    return sendPrepared(reply, deps, {
      prepared,
      prepareAgain,
      async work(changing, { version, errors }) {
        if (errors.length > 0) return { errors };
        const isThere = (await findEventType(changing.tx, changing.tenant, name)) !== undefined;
        if (isThere) return describeType(changing, { ...named, content: () => content, version });
        if (ifMatch !== undefined) return { refused: 'precondition_failed' };
        return createType(changing, { name, content, version });
      },
    });
  },
  servingVersion,
);

const update = serveNamed(
  updateEventType,
  (deps) => (request, reply) =>
    sendChanged(reply, deps, async (changing) => {
      const result = await describeType(changing, {
        ...namedBy(request),
        version: undefined,
        content(stored) {
          const merged = mergePatch(givenType(stored), request.body);
          const patched = readPatched<GivenType>(request, givenEventType, merged);
          if ('errors' in patched) return patched;
          const content = typeContent(patched.read);
          const errors = contentErrors(content);
          return errors.length > 0 ? { errors } : content;
        },
      });
      // Without a version there is none that another could come before.
      if ('stale' in result) throw new AppError('bug', 'stale without a version');
      return result;
    }),
  () => ({ bodyLimit: bodyLimits.eventTypeTexts }),
);

const retire = serveNamed(retireEventType, (deps) => async (request, reply) => {
  const result = await changeTypes(request, deps, (changing) => retireType(changing, namedBy(request)));
  if (!('retired' in result)) return sendRefused(reply, result, deps);
  return reply.code(204).send();
});

const rename = serveNamed(
  renameEventType,
  (deps) => (request, reply) =>
    sendChanged(reply, deps, (changing) => renameType(changing, namedBy(request), request.body.to)),
);

const merge = serveNamed(
  mergeEventType,
  (deps) => async (request, reply) => {
    const { body, tenant } = request;
    const named = namedBy(request);
    const prepareAgain = () => lackedBy(deps, tenant, named.name, body.into);
    return sendPrepared(reply, deps, {
      prepared: await prepareAgain(),
      prepareAgain,
      work: (changing, lacked) => mergeType(changing, named, body, lacked),
    });
  },
  () => ({ inGroups: true }),
);

const pause = serveNamed(
  pauseEventType,
  (deps) => (request, reply) =>
    sendChanged(reply, deps, (changing) => pauseType(changing, namedBy(request), request.body)),
  () => ({ preValidation: optionalBody }),
);

const resume = serveNamed(
  resumeEventType,
  (deps) => (request, reply) => sendChanged(reply, deps, (changing) => resumeType(changing, namedBy(request))),
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
