import { type SourceScheme, sourceSchemes, type SourceSettings } from '#lib/contract';
import { createId } from '#lib/ids';
import { generateSecret, isUsableSecret } from '#lib/signatures';
import { headerName, locators, name, secret, wholeNumber } from '../fields.ts';
import { insertSource, sourceJson } from '../resources/source.ts';
import { type Route, route } from '../route.ts';
import { sendInvalid } from '../send-problem.ts';

interface Body extends SourceSettings {
  name: string;
  scheme: SourceScheme;
  secret?: string;
}

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'scheme'],
  properties: {
    name,
    scheme: { type: 'string', enum: sourceSchemes },
    secret,
    signature_header: headerName,
    dedup_id: locators,
    dedup_ttl_seconds: wholeNumber(60, 30 * 24 * 3600),
    event_type_from: locators,
    timestamp_tolerance_seconds: wholeNumber(1, 24 * 3600),
    response_status: { type: 'integer', enum: [200, 202, 204] },
  },
} as const;

/** `POST /v1/sources`: the only answer that shows the secret. */
export const createSource: Route = ({ postgres, secretBox, clock, random, ingressUrl }) =>
  route<{ Body: Body }>({
    method: 'POST',
    url: '/v1/sources',
    schema: { body },
    async handler(request, reply) {
      const { name, scheme, secret = generateSecret(random), ...settings } = request.body;
      if (!isUsableSecret(secret))
        return sendInvalid(reply, [{ field: '/secret', message: 'must be more than blanks behind its prefix' }]);
      const id = createId('src', clock.nowMs(), random);
      const row = await insertSource(postgres, secretBox, {
        tenant: request.tenant,
        id,
        name,
        scheme,
        settings,
        secret,
      });
      return reply
        .code(201)
        .header('location', `/v1/sources/${id}`)
        .send({ ...sourceJson(row, ingressUrl), secret });
    },
  });
