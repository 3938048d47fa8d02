import { secret } from '#lib/api-contract';
import { createId } from '#lib/ids';
import { generateSecret } from '#lib/signatures';
import { bodyLimits } from '../http/body-limits.ts';
import { sendResource } from '../http/etag.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import type { Operation } from '../openapi/operation.ts';
import { errorsBeyondPortal } from '../portal/portal-endpoint.ts';
import { endpointJson, endpointRoom, insertEndpoint, shownEndpoint } from '../resources/endpoint.ts';
import { newSecret } from '../resources/stored-secrets.ts';
import { limitOfRoom } from '../resources/tenant-room.ts';
import { type Route, route } from '../route.ts';
import { endpointFields, type GivenEndpoint } from '../settings/endpoint-settings.ts';
import { expiresIn } from '../settings/fields.ts';
import { judgeEndpoint } from '../settings/judge-endpoint.ts';

interface Body extends GivenEndpoint {
  secret?: string;
  expires_in?: number;
}

const body = (deps: Parameters<typeof endpointFields>[0]) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: ['url'],
    properties: { ...endpointFields(deps), secret, expires_in: expiresIn },
  }) as const;

const operation: Operation = {
  tag: 'Endpoints',
  id: 'createEndpoint',
  summary: 'Create an endpoint',
  description:
    'A portal session gives `url`, `event_types`, `filter` and `description` alone, and its URL may not use private networks or plain http, even where the operator allows them; this is checked at every attempt.',
  answers: {
    201: { is: 'The endpoint, with its secret', body: 'EndpointWithSecret', headers: ['Location', 'ETag'] },
  },
  errors: ['url_not_allowed', 'limit_reached'],
};

/** `POST /v1/endpoints`: the only answer that shows the secret. */
export const createEndpoint: Route = (deps) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/endpoints',
    config: { operation, capability: 'endpoints', audit: 'endpoint.create' },
    bodyLimit: bodyLimits.endpoint,
    schema: { body: body(deps) },
    async handler(request, reply) {
      const { secretBox, clock, random, limits } = deps;
      const isPortal = request.caller.session?.portal !== undefined;
      const beyond = isPortal ? errorsBeyondPortal(request.body) : [];
      if (beyond.length > 0) return sendInvalid(reply, beyond);
      const { tenant, idempotent } = request;
      const { effects } = idempotent;
      const { secret = generateSecret(random), expires_in, ...given } = request.body;
      const judged = await judgeEndpoint({ ...given, secret }, undefined, {
        ...deps,
        postgres: effects,
        tenant,
        vetUrl: isPortal ? deps.vetPortalUrl : deps.vetUrl,
      });
      if ('errors' in judged) return sendInvalid(reply, judged.errors, judged.code);
      const { content } = judged;
      const id = createId('ep', clock.nowMs(), random);
      const secrets = [newSecret(secret, content.settings.ed25519 ?? false, random)];
      const row = await effects.transaction(async (tx) => {
        const added = { tenant, id, secrets, expires_in, urlByPortal: isPortal, ...content };
        const inserted = await insertEndpoint(tx, secretBox, added, limits);
        if (inserted !== undefined) await request.audit(tx, { id, after: endpointJson(inserted) });
        return inserted;
      });
      if (row === undefined)
        return refuseBeyondLimit(reply, await limitOfRoom(effects, endpointRoom(tenant, limits)), deps);
      void reply.code(201).header('location', `/v1/endpoints/${id}`);
      return sendResource(reply, row, { ...shownEndpoint(row, request.caller), secret });
    },
  });
