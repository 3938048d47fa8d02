/** Webhooks to a source of each scheme, some of which are signed as they should be. */
import fc from 'fast-check';
import { sourceSchemes, type SourceScheme } from '#lib/contract';
import { signatureSchemes } from '#lib/signatures';
import { signAsGithub, signAsHookline } from '../../../support/sign-webhook.ts';
import type { AskApi } from '../ask-api.ts';
import { type Draw, oneOf } from '../draw.ts';
import type { FuzzedRoute } from './routes.ts';
import type { SoundRequest } from './sound-request.ts';

export interface FuzzedSource {
  id: string;
  secret: string;
  scheme: SourceScheme;
}

const settingsOf: Partial<Record<SourceScheme, object>> = {
  square: { public_url: 'https://in.test/' },
  twilio: { public_url: 'https://in.test/' },
  adyen: { secret: '00'.repeat(32) },
  hmac: { hmac: { algorithm: 'sha256', encoding: 'hex', header: 'X-Signature', signed: 'body' } },
  hookline: {
    ...{ verify_token: 'token', keep_rejected_bodies: true, dedup_id: ['header:X-Id', '/id'] },
    ...{ event_type_from: ['header:X-Type', '/type'], ordering_key: ['header:X-Order', '/order'] },
  },
};

export const createSources = (ask: AskApi): Promise<FuzzedSource[]> =>
  Promise.all(
    sourceSchemes.map(async (scheme) => ({
      ...(await ask<FuzzedSource>('POST', '/sources', { name: scheme, scheme, ...settingsOf[scheme] })),
      scheme,
    })),
  );

const text = fc.string({ unit: 'binary', maxLength: 60 });
const printable = fc.string({ maxLength: 60 });
const bodies = fc.oneof(
  fc.record({ id: text, type: text, order: text }).map((json) => Buffer.from(JSON.stringify(json))),
  fc.json({ stringUnit: 'binary' }).map((json) => Buffer.from(json)),
  fc.constant(Buffer.from('{"id":1,"type":"a"}')),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
);
const zeros = '0'.repeat(64);

/** A body that may be anything, under a signature that is right, nearly right, or no signature at all. */
export function soundWebhook(route: FuzzedRoute, sources: readonly FuzzedSource[], draw: Draw): SoundRequest {
  const source = oneOf(draw, draw(fc.boolean()) ? sources : sources.filter(({ scheme }) => scheme === 'hookline'));
  const body = draw(bodies);
  const isPost = route.method === 'POST';
  const query = `?hub.mode=subscribe&hub.challenge=${draw(fc.nat(999))}&hub.verify_token=token`;
  return {
    ...{ route, method: route.method, id: source.id, json: { id: draw(text), type: 'a' } },
    target: `/v1/webhooks/${source.id}${isPost ? '' : query}`,
    headers: [
      ['host', new URL(route.url).host],
      ['connection', 'close'],
      ...(isPost ? signatureOf(source, body, draw) : []),
    ],
    ...(isPost && { body }),
  };
}

function signatureOf({ scheme, secret }: FuzzedSource, body: Buffer, draw: Draw): (readonly [string, string])[] {
  const now = Math.floor(Date.now() / 1000);
  const isRight = draw(fc.nat(9)) < 8;
  if (scheme === 'hookline' && isRight) return Object.entries(signAsHookline(secret, body, now));
  if (scheme === 'github' && isRight) return Object.entries(signAsGithub(secret, body));
  const nearlyRight = [
    `t=${now},v1=${zeros}`,
    `t=${now},h1=${zeros}`,
    `ts=${now};h1=00`,
    `sha256=${zeros}`,
    `v0=${zeros}`,
  ]
    .concat(`v1,${Buffer.alloc(32).toString('base64')} v1a,${Buffer.alloc(64).toString('base64')}`)
    .concat(`t=${'9'.repeat(400)},v1=`, 't=1,t=2,v1=a', ','.repeat(5_000), draw(printable));
  return [
    [signatureSchemes[scheme].signatureHeader, oneOf(draw, nearlyRight)],
    ['webhook-id', oneOf(draw, ['msg_1', '', 'a'.repeat(3_000), '\xff'])],
    ['webhook-timestamp', oneOf(draw, [String(now), '-1', '1e9', '', '9'.repeat(30)])],
    ['x-slack-request-timestamp', oneOf(draw, [String(now), 'x'])],
    ['x-signature', oneOf(draw, ['00', 'zz', zeros])],
    ['x-id', draw(printable)],
    ['x-type', 'a'.repeat(oneOf(draw, [1, 300, 5_000]))],
    ['x-order', '\xff\xfe'],
    ['x-forwarded-for', oneOf(draw, ['::1', 'x', '1.2.3.4, 5.6.7.8', ','.repeat(100)])],
    ['traceparent', oneOf(draw, ['00-0-0-0', '', `00-${zeros.slice(32)}-${zeros.slice(48)}-01`])],
    ['content-type', oneOf(draw, ['application/json', 'application/x-www-form-urlencoded', '', 'a'.repeat(8_000)])],
  ];
}
