import type { FastifyInstance } from 'fastify';
import { problem } from '../page-result.ts';
import type { Assets } from './assets.ts';
import type { SendResult } from './send-result.ts';

interface Options {
  base: string;
  assets: Assets;
  sendResult: SendResult;
}

/** `/assets/{hash}/{name}`: kept for ever, since another content has another path. */
export function serveAssets(app: FastifyInstance, { base, assets, sendResult }: Options): void {
  app.get<{ Params: { hash: string; name: string } }>(`${base}/assets/:hash/:name`, (request, reply) => {
    const { hash, name } = request.params;
    const asset = assets.find(hash, name);
    if (asset === undefined) return sendResult(reply, problem(404));
    const isGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    return reply
      .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
      .header('content-type', asset.contentType)
      .headers(isGzip ? { 'content-encoding': 'gzip' } : {})
      .send(isGzip ? asset.gzipped : asset.body);
  });
}
