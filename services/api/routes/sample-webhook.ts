import { bodyLimits } from '../http/body-limits.ts';
import { optionalBody } from '../http/optional-body.ts';
import { sendInvalid, sendMissing, sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { findWithSecrets, ingestUrl } from '../resources/source.ts';
import { type Route, route } from '../route.ts';
import { curlLine, isText } from '../verifying/curl-line.ts';
import { bodyFields, type GivenBody, readBody } from '../verifying/given-body.ts';
import { sampleWebhook as sign } from '../verifying/sample-webhook.ts';

const body = { type: 'object', additionalProperties: false, properties: bodyFields } as const;

const operation: Operation = {
  tag: 'Sources',
  id: 'sampleWebhook',
  summary: 'Sign a sample webhook, ready to be sent to the source',
  description:
    'Nothing is sent. Its timestamp is now, so send it before the tolerance of the source has passed. Without a `body`, it is one with an id and a type where the source looks for them. 409 if the source has an Ed25519 key: that is a public one, and can’t sign.',
  answers: { 200: { is: 'The signed request', body: 'SampleWebhook' } },
  errors: ['conflict', 'gone'],
};

/** `POST /v1/sources/{id}/sample`: with the scope `write`, which can give the source another secret, and so sign all the same. */
export const sampleWebhook: Route = ({ secretBox, clock, random, ingressUrl }) =>
  route<{ Params: { id: string }; Body: GivenBody }>({
    method: 'POST',
    url: '/v1/sources/:id/sample',
    config: { operation, audit: { none: 'it signs a sample, and changes nothing' } },
    schema: { body },
    bodyLimit: bodyLimits.payloadAsText,
    preValidation: optionalBody,
    async handler(request, reply) {
      const { tenant, body: asked, idempotent } = request;
      const given = readBody(asked);
      if ('errors' in given) return sendInvalid(reply, given.errors);
      const source = await findWithSecrets(idempotent.effects, secretBox, tenant, request.params.id);
      if (source === undefined || !('secrets' in source)) return sendMissing(reply, source);
      const sample = sign(source, {
        ...{ nowMs: clock.nowMs(), random },
        body: asked.body === undefined ? undefined : given.read,
      });
      if ('problem' in sample) return sendProblem(reply, 'conflict', sample.problem);
      const url = ingestUrl(ingressUrl, source.id);
      const isPlain = isText(sample.body);
      return {
        ...{ method: 'POST', url, headers: sample.headers },
        body: sample.body.toString(isPlain ? 'utf8' : 'base64'),
        body_encoding: isPlain ? 'text' : 'base64',
        curl: curlLine(url, sample),
      };
    },
  });
