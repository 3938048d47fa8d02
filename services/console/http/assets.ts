import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { problem } from '../page-result.ts';
import { accentPath, accentRules } from '../portal/index.ts';
import type { SendResult } from './send-result.ts';

/**
 * The files that pages load, from memory. One hash over all of them is in their path, so that they can be kept for ever: islands may import
 * one another by relative paths, and a page of one version never runs with the script of another.
 */

interface Asset {
  contentType: string;
  body: Buffer;
  gzipped: Buffer;
}

export interface Assets {
  /** The path of a file below the console's base. @throws Error if there is no such file */
  path(name: string): string;
  /** Undefined for another hash than today's, too. */
  find(hash: string, name: string): Asset | undefined;
  names: readonly string[];
}

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const filesIn = (folder: string, end: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(end))
    .sort();

/** Reads what is in assets/ and islands/. */
export function loadAssets(): Assets {
  const files = new Map([
    ['console.css', { contentType: 'text/css; charset=utf-8', text: readStyles() }],
    ['icon.svg', { contentType: 'image/svg+xml', text: read('assets/icon.svg') }],
    ...filesIn('islands', '.ts').map((file) => [file.replace(/\.ts$/, '.js'), readIsland(file)] as const),
  ]);
  const whole = createHash('sha256');
  for (const [name, { text }] of files) whole.update(`${name}\0${text}\0`);
  const hash = whole.digest('base64url').slice(0, 16);
  const assets = new Map(
    [...files].map(([name, { contentType, text }]) => {
      const body = Buffer.from(text);
      return [name, { contentType, body, gzipped: gzipSync(body, { level: 9 }) }] as const;
    }),
  );
  return {
    path(name) {
      if (!assets.has(name)) throw new Error(`there is no asset ${name}`);
      return `/assets/${hash}/${name}`;
    },
    find: (asked, name) => (asked === hash ? assets.get(name) : undefined),
    names: [...assets.keys()],
  };
}

/** One style sheet: console.css, then those of single pages. */
function readStyles(): string {
  const first = 'console.css';
  const others = filesIn('assets', '.css').filter((file) => file !== first);
  return [first, ...others].map((file) => read(`assets/${file}`)).join('\n');
}

/** Browsers get the files as they are, without their types: lines and columns stay. */
const readIsland = (file: string) => ({
  contentType: 'text/javascript; charset=utf-8',
  text: importScripts(stripTypeScriptTypes(read(`islands/${file}`))),
});

const importScripts = (text: string): string =>
  text.replace(/(\b(?:from|import)\s*\(?\s*')(\.\/[\w-]+)\.ts'/g, "$1$2.js'");

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
      .headers({ 'content-type': asset.contentType, ...(isGzip && { 'content-encoding': 'gzip' }) })
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
