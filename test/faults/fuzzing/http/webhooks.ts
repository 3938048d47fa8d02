/** Webhooks to a source of each scheme, some of which are signed as they should be. */
import fc from 'fast-check';
import type { Client } from '#client';
import { sourceSchemes, type SourceScheme } from '#lib/contract';
import { signatureSchemes } from '#lib/signatures';
import { signAsGithub, signAsHookline } from '../../../support/sign-webhook.ts';
import { words } from '../defects.ts';
import { type Draw, oneOf } from '../draw.ts';
import type { FuzzedRoute } from './routes.ts';
import { anyDefect, inHeader, type SoundRequest } from './sound-request.ts';

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
    verify_token: 'token',
    keep_rejected_bodies: true,
    dedup_id: ['header:X-Id', '/id'],
    event_type_from: ['header:X-Type', '/type'],
    ordering_key: ['header:X-Order', '/order'],
  },
};

export const createSources = (api: Client): Promise<FuzzedSource[]> =>
  Promise.all(
    sourceSchemes.map(async (scheme) => ({
      ...(await api.call('POST /v1/sources', {
        body: JSON.stringify({ name: scheme, scheme, ...settingsOf[scheme] }),
      })),
      scheme,
    })),
  );

const text = fc.string({ unit: 'binary', maxLength: 60 });
const bodies = fc.oneof(
  fc.record({ id: text, type: text, order: text }).map((json) => Buffer.from(JSON.stringify(json))),
  fc.json({ stringUnit: 'binary' }).map((json) => Buffer.from(json)),
  fc.constant(Buffer.from('{"id":1,"type":"a"}')),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
);
const zeros = '0'.repeat(64);
const base64 = (bytes: number): string => Buffer.alloc(bytes).toString('base64');
/** Headers that a scheme or a source's settings read, or that say where a request comes from. */
const readHeaders = words(
  'webhook-id webhook-timestamp x-slack-request-timestamp x-signature x-id x-type x-order',
).concat(words('x-forwarded-for traceparent content-type'));

/** A body that may be anything, under a signature that is right, nearly right, or no signature at all. */
export function soundWebhook(route: FuzzedRoute, sources: readonly FuzzedSource[], draw: Draw): SoundRequest {
  const source = oneOf(draw, draw(fc.boolean()) ? sources : sources.filter(({ scheme }) => scheme === 'hookline'));
  const body = draw(bodies);
  const isPost = route.method === 'POST';
  const parameters = { 'hub.mode': 'subscribe', 'hub.challenge': `${draw(fc.nat(999))}`, 'hub.verify_token': 'token' };
  return {
    route,
    parameters,
    method: route.method,
    id: source.id,
    json: { id: draw(text), type: 'a' },
    target: `/v1/webhooks/${source.id}${isPost ? '' : `?${new URLSearchParams(parameters).toString()}`}`,
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
    ...[`t=${now},v1=${zeros}`, `t=${now},h1=${zeros}`, `ts=${now};h1=00`, `sha256=${zeros}`, `v0=${zeros}`],
    ...[`v1,${base64(32)} v1a,${base64(64)}`, `t=${'9'.repeat(400)},v1=`, 't=1,t=2,v1=a', ','.repeat(5_000)],
  ];
  return [
    [signatureSchemes[scheme].signatureHeader, oneOf(draw, [...nearlyRight, inHeader(anyDefect(zeros, draw))])],
    ...readHeaders.map((name) => [name, inHeader(anyDefect(String(now), draw))] as const),
  ];
}
