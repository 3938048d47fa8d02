import { displayName as name } from '#lib/api-contract';
import { type SourceScheme, sourceSchemes } from '#lib/contract';
import { createId } from '#lib/ids';
import { signatureSchemes } from '#lib/signatures';
import { bodyLimits } from '../http/body-limits.ts';
import { sendResource } from '../http/etag.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import type { Operation } from '../openapi/operation.ts';
import { insertSource, sourceJson, sourceRoom } from '../resources/source.ts';
import { limitOfRoom } from '../resources/tenant-room.ts';
import { type Route, route } from '../route.ts';
import { secret } from '../settings/fields.ts';
import { type GivenSettings, normalizeSettings, settingsErrors, settingsFields } from '../settings/source-settings.ts';

interface Body extends GivenSettings {
  name: string;
  scheme: SourceScheme;
  secret?: string;
}

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'scheme'],
  properties: { name, scheme: { type: 'string', enum: sourceSchemes }, secret, ...settingsFields },
} as const;

const operation: Operation = {
  tag: 'Sources',
  id: 'createSource',
  summary: 'Create a source',
  answers: { 201: { is: 'The source, with its secret', body: 'SourceWithSecret', headers: ['Location', 'ETag'] } },
  errors: ['limit_reached'],
};

/** `POST /v1/sources`: the only answer that shows the secret. */
export const createSource: Route = (deps) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/sources',
    config: { operation, audit: 'source.create' },
    bodyLimit: bodyLimits.source,
    schema: { body },
    async handler(request, reply) {
      const { secretBox, clock, random, ingressUrl, limits } = deps;
      const { tenant, idempotent } = request;
      const { name, scheme, secret = signatureSchemes[scheme].generateSecret(random), ...given } = request.body;
      const settings = normalizeSettings(given);
      const errors = settingsErrors(scheme, { settings, secret });
      if (errors.length > 0) return sendInvalid(reply, errors);
      const id = createId('src', clock.nowMs(), random);
      const source = { tenant, id, name, scheme, settings, secret };
      const row = await idempotent.effects.transaction(async (tx) => {
        const inserted = await insertSource(tx, secretBox, source, limits);
        if (inserted !== undefined) await request.audit(tx, { id, after: sourceJson(inserted, ingressUrl) });
        return inserted;
      });
      if (row === undefined)
        return refuseBeyondLimit(reply, await limitOfRoom(idempotent.effects, sourceRoom(tenant, limits)), deps);
      void reply.code(201).header('location', `/v1/sources/${id}`);
      return sendResource(reply, row, { ...sourceJson(row, ingressUrl), secret });
    },
  });
