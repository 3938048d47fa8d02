/**
 * The files that pages load, from memory. One hash over all of them is in their path, so that they can be kept for ever: islands may import
 * one another by relative paths, and a page of one version never runs with the script of another.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

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

const here = join(import.meta.dirname, '..');

/** Reads what is in assets/ and islands/. */
export function loadAssets(root = here): Assets {
  const files = new Map<string, { contentType: string; text: string }>([
    ['console.css', { contentType: 'text/css; charset=utf-8', text: readStyles(join(root, 'assets')) }],
    ['icon.svg', { contentType: 'image/svg+xml', text: readFileSync(join(root, 'assets/icon.svg'), 'utf8') }],
    ...readIslands(join(root, 'islands')),
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
function readStyles(folder: string): string {
  const first = 'console.css';
  const others = readdirSync(folder).filter((file) => file.endsWith('.css') && file !== first);
  return [first, ...others.sort()].map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
}

/** Browsers get the files as they are, without their types: lines and columns stay. */
function readIslands(folder: string): [string, { contentType: string; text: string }][] {
  const sources = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  return sources.sort().map((file) => {
    const text = stripTypeScriptTypes(readFileSync(join(folder, file), 'utf8'));
    return [scriptName(file), { contentType: 'text/javascript; charset=utf-8', text: importScripts(text) }];
  });
}

const scriptName = (file: string): string => file.replace(/\.ts$/, '.js');

const importScripts = (text: string): string =>
  text.replace(/(\b(?:from|import)\s*\(?\s*')(\.\/[\w-]+)\.ts'/g, "$1$2.js'");
