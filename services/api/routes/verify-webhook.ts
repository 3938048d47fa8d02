import type { HeaderValues } from '#lib/signatures';
import { bodyLimits } from '../http/body-limits.ts';
import { sendInvalid, sendMissing } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { findWithSecrets } from '../resources/source.ts';
import { type Route, route } from '../route.ts';
import { headerName } from '../settings/fields.ts';
import { bodyFields, type GivenBody, readBody } from '../verifying/given-body.ts';
import { verifyWebhook as verify } from '../verifying/verify-webhook.ts';

interface Body extends GivenBody {
  headers: Record<string, string | string[]>;
  query?: string;
  address?: string;
}

const headerValue = { type: 'string', maxLength: 16_384 } as const;

const body = {
  type: 'object',
  additionalProperties: false,
  required: ['headers', 'body'],
  properties: {
    headers: {
      type: 'object',
      maxProperties: 200,
      propertyNames: headerName,
      additionalProperties: {
        if: { type: 'string' },
        then: headerValue,
        else: { type: 'array', minItems: 1, maxItems: 20, items: headerValue },
      },
    },
    ...bodyFields,
    query: {
      type: 'string',
      maxLength: 8_192,
      pattern: '^$|^\\?',
      description: 'empty, or begin with a question mark',
    },
    address: { type: 'string', maxLength: 64 },
  },
} as const;

const operation: Operation = {
  tag: 'Sources',
  id: 'verifyWebhook',
  summary: 'Verify a webhook as the source does, and find out what is wrong with it',
  description:
    'Nothing is received. The body is text or base64 (`body_encoding`); `query` is that of the URL, which some schemes sign, `address` that of the sender.',
  answers: { 200: { is: 'The failed step, and what to do; or that the webhook is valid', body: 'Verification' } },
  errors: ['gone'],
};

/** `POST /v1/sources/{id}/verify`: with the scope `read`, since it changes nothing, and tells no more than the ingress tells everybody. */
export const verifyWebhook: Route = ({ secretBox, clock }) =>
  route<{ Params: { id: string }; Body: Body }>({
    method: 'POST',
    url: '/v1/sources/:id/verify',
    config: { operation, scope: 'read', audit: { none: 'it verifies what it was given, and changes nothing' } },
    schema: { body },
    bodyLimit: bodyLimits.payloadAsText,
    async handler(request, reply) {
      const { headers, query = '', address } = request.body;
      const given = readBody(request.body);
      if ('errors' in given) return sendInvalid(reply, given.errors);
      const source = await findWithSecrets(request.idempotent.effects, secretBox, request.tenant, request.params.id);
      if (source === undefined || !('secrets' in source)) return sendMissing(reply, source);
      return verify(source, { headers: byLowerName(headers), body: given.read, query, address }, clock.nowMs());
    },
  });

/** As the ingress reads them: a name that comes more than once has a list, however it is spelled. */
function byLowerName(headers: Body['headers']): HeaderValues {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => [name.toLowerCase(), value] as const),
  );
  const read = Object.create(null) as Record<string, string | string[]>;
  for (const [name, group] of Map.groupBy(lines, ([name]) => name)) {
    const [[, only] = ['', ''], ...more] = group;
    read[name] = more.length === 0 ? only : group.map(([, value]) => value);
  }
  return read;
}
