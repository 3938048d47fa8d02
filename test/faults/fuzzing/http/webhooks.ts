/** Webhooks to a source of each scheme, some of which are signed as they should be. */
import { sourceSchemes, type SourceScheme } from '#lib/contract';
import { signatureSchemes } from '#lib/signatures';
import { signAsGithub, signAsHookline } from '../../../support/sign-webhook.ts';
import type { SoundRequest } from './mutations/mutation.ts';
import type { Pools } from '../pools.ts';
import type { FuzzedRoute } from './routes.ts';

export interface FuzzedSource {
  id: string;
  secret: string;
  scheme: SourceScheme;
}

interface Options {
  ingressUrl: string;
  createSource(settings: Record<string, unknown>): Promise<{ id: string; secret: string }>;
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

export const createSources = ({ createSource }: Options): Promise<FuzzedSource[]> =>
  Promise.all(
    sourceSchemes.map(async (scheme) => {
      const { id, secret } = await createSource({ name: scheme, scheme, ...settingsOf[scheme] });
      return { id, secret, scheme };
    }),
  );

/** A body that may be anything, under a signature that is right, nearly right, or no signature at all. */
export function soundWebhook(
  route: FuzzedRoute,
  sources: readonly FuzzedSource[],
  { ingressUrl }: Options,
  pools: Pools,
): SoundRequest {
  const source = pools.random() < 0.5 ? sources.find(({ scheme }) => scheme === 'hookline') : pools.pick(sources);
  if (source === undefined) throw new Error('there is no source');
  const json = pools.pick([
    { id: pools.text(), type: pools.text(), order: pools.text() },
    pools.json(),
    { id: 1, type: 'a' },
  ]);
  const body = pools.random() < 0.7 ? Buffer.from(JSON.stringify(json)) : pools.bytes();
  const query = `?hub.mode=subscribe&hub.challenge=${pools.below(1000)}&hub.verify_token=token`;
  return {
    route,
    method: route.method,
    target: `/v1/webhooks/${source.id}${route.method === 'POST' ? '' : query}`,
    ids: [source.id],
    json,
    cursor: undefined,
    headers: [
      ['host', new URL(ingressUrl).host],
      ['connection', 'close'],
      ...(route.method === 'POST' ? signatureOf(source, body, pools) : []),
    ],
    ...(route.method === 'POST' && { body }),
  };
}

function signatureOf({ scheme, secret }: FuzzedSource, body: Buffer, pools: Pools): (readonly [string, string])[] {
  const now = Math.floor(Date.now() / 1000);
  if (scheme === 'hookline' && pools.random() < 0.8) return Object.entries(signAsHookline(secret, body, now));
  if (scheme === 'github' && pools.random() < 0.5) return Object.entries(signAsGithub(secret, body));
  const value = pools.pick([
    `t=${now},v1=${'0'.repeat(64)}`,
    `t=${now},h1=${'f'.repeat(64)}`,
    `ts=${now};h1=00`,
    `sha256=${'0'.repeat(64)}`,
    `v0=${'0'.repeat(64)}`,
    `v1,${Buffer.alloc(32).toString('base64')} v1a,${Buffer.alloc(64).toString('base64')}`,
    `t=${'9'.repeat(400)},v1=`,
    `t=1,t=2,v1=a`,
    ','.repeat(5_000),
    pools.text().replace(/[^\x20-\x7e]/g, '~'),
  ]);
  return [
    [signatureSchemes[scheme].signatureHeader, value],
    ['webhook-id', pools.pick(['msg_1', '', 'a'.repeat(3_000), '\xff'])],
    ['webhook-timestamp', pools.pick([String(now), '-1', '1e9', '', '9'.repeat(30)])],
    ['x-slack-request-timestamp', pools.pick([String(now), 'x'])],
    ['x-signature', pools.pick(['00', 'zz', 'f'.repeat(64)])],
    ['x-id', pools.text().replace(/[^\x20-\x7e]/g, '~')],
    ['x-type', 'a'.repeat(pools.pick([1, 300, 5_000]))],
    ['x-order', '\xff\xfe'],
    ['x-forwarded-for', pools.pick(['::1', 'x', '1.2.3.4, 5.6.7.8', ','.repeat(100)])],
    ['traceparent', pools.pick(['00-0-0-0', '', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`])],
    ['content-type', pools.pick(['application/json', 'application/x-www-form-urlencoded', '', 'a'.repeat(8_000)])],
  ];
}
