import {
  changedEndpoint,
  type ChangedEndpoint,
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  newEndpoint,
  rotateEndpointSecret,
  updateEndpoint,
} from '#lib/api-contract';
import type { StoredSecret } from '#lib/contract';
import { createId } from '#lib/runtime';
import { generateSecret } from '#lib/signatures';
import { maskedChanges } from '../audit/index.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { changeOf, sendCreated, sendFound, sendRemoved, sendResource } from '../http/etag.ts';
import { filterConditions, readFilters } from '../http/filters.ts';
import { answerPage, type PageRequest } from '../http/paging.ts';
import { readPatched } from '../http/patch-body.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { isCustomer } from '../keys/identify-caller.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { newSecret, openSecrets, switchEd25519 } from '../resources/stored-secrets.ts';
import { limitOfRoom } from '../resources/tenant-room.ts';
import { type Route, serve } from '../route.ts';
import { rotateSecret } from '../settings/rotate-secret.ts';
import { errorsBeyondPortal, errorsOfMove, givenOf, mergeEndpoint } from './given-endpoint.ts';
import { health } from './health.ts';
import {
  auditedEndpoint,
  endpointOf,
  endpointRoom,
  endpointTable,
  filters,
  insertEndpoint,
  isSameContent,
  isSealed,
  limitOfUpdate,
  openContent,
  setContent,
  setExpiry,
  setSecrets,
} from './queries.ts';
import { disable, enable, pause, probe, resume } from './states.ts';
import { secretErrors, validateEndpoint } from './validate-endpoint.ts';

/** The only answer that shows the secret. */
const create = serve(
  createEndpoint,
  (deps) => async (request, reply) => {
    const { secretBox, clock, random, limits } = deps;
    const isPortal = isCustomer(request.caller);
    const beyond = isPortal ? errorsBeyondPortal(request.body) : [];
    if (beyond.length > 0) return sendInvalid(reply, beyond);
    const { tenant, idempotent } = request;
    const { effects } = idempotent;
    const { secret = generateSecret(random), expires_in, ...given } = request.body;
    const valid = await validateEndpoint({ ...given, secret }, undefined, {
      ...deps,
      postgres: effects,
      tenant,
      vetUrl: isPortal ? deps.vetPortalUrl : deps.vetUrl,
    });
    if ('errors' in valid) return sendInvalid(reply, valid.errors, valid.code);
    const { content } = valid;
    const id = createId('ep', clock.nowMs(), random);
    const secrets = [newSecret(secret, content.settings.ed25519 ?? false, random)];
    const row = await effects.transaction(async (tx) => {
      const added = { tenant, id, secrets, expires_in, urlByPortal: isPortal, ...content };
      const inserted = await insertEndpoint(tx, secretBox, added, limits);
      if (inserted !== undefined) await request.audit(tx, { id, after: auditedEndpoint(inserted) });
      return inserted;
    });
    if (row === undefined)
      return refuseBeyondLimit(reply, await limitOfRoom(effects, endpointRoom(tenant, limits)), deps);
    return sendCreated(reply, `/v1/endpoints/${id}`, row, { ...endpointOf(row, request.caller), secret });
  },
  (deps) => ({ bodyLimit: bodyLimits.endpoint, body: newEndpoint(deps) }),
);

const list = serve(listEndpoints, ({ postgres, apiUrl }) => (request, reply) => {
  const read = async (page: PageRequest) => {
    const given = readFilters(filters, request.query);
    if ('errors' in given) return sendInvalid(reply, given.errors);
    return endpointTable.list(postgres, request.tenant, page, (bind) => filterConditions(filters, given.filter, bind));
  };
  return answerPage({ request, reply, apiUrl }, endpointTable.idPattern, read, (row) =>
    endpointOf(row, request.caller),
  );
});

const get = serve(getEndpoint, ({ postgres }) => async (request, reply) => {
  const found = await endpointTable.find(postgres, request.tenant, request.params.id);
  return sendFound(reply, found, (row) => endpointOf(row, request.caller));
});

/** JSON merge patch, `null` resets a field to its default; the result must be a valid endpoint. */
const update = serve(
  updateEndpoint,
  (deps) => {
    // Shorter waits of before the limit may stay: `validateEndpoint` looks at those that are new.
    const endpoint = changedEndpoint({ ...deps, minRetrySeconds: 0 });
    return async (request, reply) => {
      const { postgres, secretBox, random, limits } = deps;
      const { tenant, body } = request;
      const isPortal = isCustomer(request.caller);
      const beyond = isPortal ? errorsBeyondPortal(body) : [];
      if (beyond.length > 0) return sendInvalid(reply, beyond);
      if (Object.hasOwn(body, 'secret'))
        return sendInvalid(reply, [{ field: '/secret', message: 'can only be changed with POST …/rotate-secret' }]);

      const result = await endpointTable.change(postgres, changeOf(request), async (row, tx) => {
        const named = { tenant, id: row.id };
        const patched = readPatched<ChangedEndpoint>(request, endpoint, mergeEndpoint(givenOf(row), body));
        if ('errors' in patched) return { code: 'validation_failed', ...patched } as const;
        const { expires_in = null, ...given } = patched.read;
        const before = openContent(secretBox, named, row);
        const isMoved = given.url !== before.url;
        const unmovable = isPortal && isMoved ? errorsOfMove(before.settings) : [];
        if (unmovable.length > 0) return { code: 'validation_failed', errors: unmovable } as const;
        const vetUrl = isPortal ? deps.vetPortalUrl : deps.vetUrl;
        const valid = await validateEndpoint(given, before, { ...deps, postgres: tx, tenant, patch: body, vetUrl });
        if ('errors' in valid) return valid;
        const { content } = valid;
        const isSame = isSameContent(before, content) && isSealed(row);
        const hasNewEnd = Object.hasOwn(body, 'expires_in') && !(expires_in === null && row.expires_at === null);
        if (isSame && !hasNewEnd) return { row };
        const limit = await limitOfUpdate(tx, named, { before, after: content, limits });
        if (limit !== undefined) return { limit };
        const { ed25519 = false } = content.settings;
        const secrets: StoredSecret[] | undefined =
          ed25519 === (before.settings.ed25519 ?? false)
            ? undefined
            : switchEd25519(openSecrets(secretBox, { table: 'endpoints', ...named }, row.secrets), ed25519, random);
        // Vetted with the allowances of whoever chose it last.
        const urlByPortal = isMoved ? isPortal : row.url_by_portal;
        // Prolonging is no change of the settings: the ETag stays, and so does the circuit breaker.
        const changedRow = isSame ? row : await setContent(tx, secretBox, named, { content, urlByPortal, secrets });
        const updated = hasNewEnd ? await setExpiry(tx, named, expires_in) : changedRow;
        await request.audit(tx, {
          id: row.id,
          before: auditedEndpoint(row),
          after: { ...auditedEndpoint(updated), ...maskedChanges(before.settings, content.settings) },
        });
        return { row: updated };
      });
      if ('refused' in result) return sendProblem(reply, result.refused);
      const { changed } = result;
      if ('errors' in changed) return sendInvalid(reply, changed.errors, changed.code);
      const { row, limit } = changed;
      if (limit !== undefined) return refuseBeyondLimit(reply, limit, deps);
      return sendResource(reply, row, endpointOf(row, request.caller));
    };
  },
  () => ({ bodyLimit: bodyLimits.endpoint }),
);

const remove = serve(deleteEndpoint, ({ postgres }) => async (request, reply) => {
  const result = await endpointTable.remove(postgres, changeOf(request), (row, tx) =>
    request.audit(tx, { id: row.id, before: auditedEndpoint(row) }),
  );
  return sendRemoved(reply, result);
});

/** Within seconds, and until the overlap has passed, deliveries are signed with both secrets, and with the Ed25519 key of each. */
const rotate = rotateSecret({
  operation: rotateEndpointSecret,
  kind: 'endpoints',
  table: endpointTable,
  generate: (_row, random) => generateSecret(random),
  hasKeys: ({ settings }) => settings.ed25519 ?? false,
  setSecrets,
  secretErrors: (_row, secret) => secretErrors(secret),
});

export const endpointRoutes: readonly Route[] = [
  create,
  list,
  get,
  update,
  remove,
  rotate,
  disable,
  enable,
  pause,
  resume,
  probe,
  health,
];
