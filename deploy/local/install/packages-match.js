/**
 * Exits 0 where node_modules holds what package-lock.json says. npm writes node_modules/.package-lock.json last, so an install that was
 * cut short has none. JavaScript, not TypeScript: it runs on the Node that the machine has.
 */
import { readFileSync } from 'node:fs';

const read = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
};

const wanted = read('package-lock.json') ?? {};
const installed = read('node_modules/.package-lock.json');

/** Optional packages may be for other platforms; the entry '' is this project itself. */
const matches = ([path, { version, optional, peer, link }]) =>
  path === '' || link || (installed[path] === undefined ? optional || peer : installed[path].version === version);

process.exit(installed !== undefined && Object.entries(wanted).every(matches) ? 0 : 1);
