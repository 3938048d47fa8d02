import type { StoredSecret } from '#lib/contract';
import { maskedChanges } from '../audit/index.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { changeOf, sendResource } from '../http/etag.ts';
import { mergePatch } from '../http/merge-patch.ts';
import { patchOf, readPatched } from '../http/patch-body.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import type { Operation } from '../openapi/operation.ts';
import { errorsBeyondPortal, errorsOfMove } from '../portal/portal-endpoint.ts';
import {
  endpointJson,
  endpoints,
  isSameContent,
  isSealed,
  openContent,
  setContent,
  setExpiry,
  shownEndpoint,
} from '../resources/endpoint.ts';
import { limitOfUpdate } from '../resources/endpoint-changes.ts';
import { openSecrets, switchEd25519 } from '../resources/stored-secrets.ts';
import { type Route, route } from '../route.ts';
import { endpointFields, type GivenEndpoint, givenOf } from '../settings/endpoint-settings.ts';
import { expiresIn } from '../settings/fields.ts';
import { judgeEndpoint } from '../settings/judge-endpoint.ts';
import { mergeHeaders } from '../settings/request-headers.ts';

const operation: Operation = {
  tag: 'Endpoints',
  id: 'updateEndpoint',
  summary: 'Change an endpoint',
  description:
    'JSON merge patch: `null` resets a field to its default. A masked value that is sent back stays unchanged. Where nothing changes, ETag and audit stay as they are. A portal session changes `url`, `event_types`, `filter` and `description` alone, and the URL only where no setting goes with it: headers, passed headers, a proxy or a certificate. Where the origin changes, or the proxy of an endpoint without TLS, credentials among these must be sent again.',
  answers: { 200: { is: 'The endpoint after the change', body: 'Endpoint', headers: ['ETag'] } },
  errors: ['url_not_allowed', 'limit_reached'],
  conditional: true,
  patchOf: 'POST /v1/endpoints',
};

/** `PATCH /v1/endpoints/{id}`: JSON merge patch, `null` resets a field to its default; the result must be a valid endpoint. */
export const updateEndpoint: Route = (deps) => {
  // Shorter waits of before the limit may stay: `judgeEndpoint` looks at those that are new.
  const properties = { ...endpointFields({ ...deps, minRetrySeconds: 0 }), expires_in: expiresIn };
  const endpoint = { type: 'object', additionalProperties: false, required: ['url'], properties };
  return route<{ Params: { id: string }; Body: Record<string, unknown> }>({
    method: 'PATCH',
    url: '/v1/endpoints/:id',
    config: { operation, capability: 'endpoints', audit: 'endpoint.update' },
    bodyLimit: bodyLimits.endpoint,
    schema: { body: patchOf([...Object.keys(properties), 'secret']) },
    async handler(request, reply) {
      const { postgres, secretBox, random, limits } = deps;
      const { tenant, body } = request;
      const isPortal = request.caller.session?.portal !== undefined;
      const beyond = isPortal ? errorsBeyondPortal(body) : [];
      if (beyond.length > 0) return sendInvalid(reply, beyond);
      if (Object.hasOwn(body, 'secret'))
        return sendInvalid(reply, [{ field: '/secret', message: 'can only be changed with POST …/rotate-secret' }]);

      const result = await endpoints.change(postgres, changeOf(request), async (row, tx) => {
        const named = { tenant, id: row.id };
        const patched = readPatched<GivenEndpoint & { expires_in?: number }>(
          request,
          endpoint,
          mergeEndpoint(givenOf(row), body),
        );
        if ('errors' in patched) return { code: 'validation_failed', ...patched } as const;
        const { expires_in = null, ...given } = patched.read;
        const before = openContent(secretBox, named, row);
        const isMoved = given.url !== before.url;
        const unmovable = isPortal && isMoved ? errorsOfMove(before.settings) : [];
        if (unmovable.length > 0) return { code: 'validation_failed', errors: unmovable } as const;
        const vetUrl = isPortal ? deps.vetPortalUrl : deps.vetUrl;
        const judged = await judgeEndpoint(given, before, { ...deps, postgres: tx, tenant, patch: body, vetUrl });
        if ('errors' in judged) return judged;
        const { content } = judged;
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
        // Judged with the allowances of whoever chose it last.
        const urlByPortal = isMoved ? isPortal : row.url_by_portal;
        // Prolonging is no change of the settings: the ETag stays, and so does the circuit breaker.
        const changedRow = isSame ? row : await setContent(tx, secretBox, named, { content, urlByPortal, secrets });
        const updated = hasNewEnd ? await setExpiry(tx, named, expires_in) : changedRow;
        await request.audit(tx, {
          id: row.id,
          before: endpointJson(row),
          after: { ...endpointJson(updated), ...maskedChanges(before.settings, content.settings) },
        });
        return { row: updated };
      });
      if ('refused' in result) return sendProblem(reply, result.refused);
      const { changed } = result;
      if ('errors' in changed) return sendInvalid(reply, changed.errors, changed.code);
      const { row, limit } = changed;
      if (limit !== undefined) return refuseBeyondLimit(reply, limit, deps);
      return sendResource(reply, row, shownEndpoint(row, request.caller));
    },
  });
};

/**
 * A filter is replaced as a whole: merging two would give a third that nobody wrote, and `null` has a meaning in it. So is a certificate
 * with its key.
 */
function mergeEndpoint(before: GivenEndpoint, patch: Record<string, unknown>): unknown {
  const { headers } = patch;
  const whole = Object.entries(patch).filter(([name, value]) => wholes.includes(name) && value !== null);
  return {
    ...(mergePatch(before, patch) as object),
    ...Object.fromEntries(whole),
    ...(headers !== undefined && headers !== null && { headers: mergeHeaders(before.headers ?? {}, headers) }),
  };
}

const wholes = ['filter', 'client_certificate'];
