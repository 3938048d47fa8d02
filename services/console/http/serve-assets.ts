import type { FastifyInstance } from 'fastify';
import { problem } from '../page-result.ts';
import { accentPath, accentRules } from '../pages/portal/accent.ts';
import type { Assets } from './assets.ts';
import type { SendResult } from './send-result.ts';

interface Options {
  base: string;
  assets: Assets;
  sendResult: SendResult;
}

const forEver = { 'cache-control': 'public, max-age=31536000, immutable' };

/** `/assets/{hash}/{name}`: kept for ever, since another content has another path. */
export function serveAssets(app: FastifyInstance, { base, assets, sendResult }: Options): void {
  app.get<{ Params: { hash: string; name: string } }>(`${base}/assets/:hash/:name`, (request, reply) => {
    const { hash, name } = request.params;
    const asset = assets.find(hash, name);
    if (asset === undefined) return sendResult(reply, problem(404));
    const isGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    return reply
      .headers({ ...forEver, vary: 'accept-encoding' })
      .header('content-type', asset.contentType)
      .headers(isGzip ? { 'content-encoding': 'gzip' } : {})
      .send(isGzip ? asset.gzipped : asset.body);
  });
}

/** `/portal/accent/{rrggbb}.css` */
export function serveAccents(app: FastifyInstance, { base, sendResult }: Omit<Options, 'assets'>): void {
  app.get<{ Params: { name: string } }>(`${base}${accentPath('#:name')}`, (request, reply) => {
    const [, digits] = /^([0-9a-f]{6})$/.exec(request.params.name) ?? [];
    if (digits === undefined) return sendResult(reply, problem(404));
    return reply.headers(forEver).header('content-type', 'text/css; charset=utf-8').send(accentRules(digits));
  });
}
