import { type BodyOf, sampleWebhook, verifyWebhook } from '#lib/api-contract';
import type { HeaderValues } from '#lib/signatures';
import { bodyLimits } from '../http/body-limits.ts';
import { optionalBody } from '../http/patch-body.ts';
import { sendInvalid, sendMissing, sendProblem } from '../http/send-problem.ts';
import { serve } from '../route.ts';
import { findWithSecrets, ingestUrl } from './queries.ts';
import { curlLine, isText, sampleWebhook as sign } from './verifying/sample-webhook.ts';
import { readBody, verifyWebhook as verifyWith } from './verifying/verify-webhook.ts';

export const verify = serve(
  verifyWebhook,
  ({ secretBox, clock }) =>
    async (request, reply) => {
      const { headers, query = '', address } = request.body;
      const given = readBody(request.body);
      if ('errors' in given) return sendInvalid(reply, given.errors);
      const source = await findWithSecrets(request.idempotent.effects, secretBox, request.tenant, request.params.id);
      if (source === undefined || !('secrets' in source)) return sendMissing(reply, source);
      return verifyWith(source, { headers: byLowerName(headers), body: given.read, query, address }, clock.nowMs());
    },
  () => ({ bodyLimit: bodyLimits.payloadAsText }),
);

export const sample = serve(
  sampleWebhook,
  ({ secretBox, clock, random, ingressUrl }) =>
    async (request, reply) => {
      const { tenant, body: asked, idempotent } = request;
      const given = readBody(asked);
      if ('errors' in given) return sendInvalid(reply, given.errors);
      const source = await findWithSecrets(idempotent.effects, secretBox, tenant, request.params.id);
      if (source === undefined || !('secrets' in source)) return sendMissing(reply, source);
      const body = asked.body === undefined ? undefined : given.read;
      const signed = sign(source, { nowMs: clock.nowMs(), random, body });
      if ('problem' in signed) return sendProblem(reply, 'conflict', signed.problem);
      const url = ingestUrl(ingressUrl, source.id);
      const isPlain = isText(signed.body);
      return {
        method: 'POST',
        url,
        headers: signed.headers,
        body: signed.body.toString(isPlain ? 'utf8' : 'base64'),
        body_encoding: isPlain ? ('text' as const) : ('base64' as const),
        curl: curlLine(url, signed),
      };
    },
  () => ({ bodyLimit: bodyLimits.payloadAsText, preValidation: optionalBody }),
);

/** As the ingress reads them: a name that comes more than once has a list, however it is spelled. */
function byLowerName(headers: BodyOf<typeof verifyWebhook>['headers']): HeaderValues {
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
