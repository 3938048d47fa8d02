/**
 * Builds the package: `dist` with ES modules, CommonJS and types, and the project's licence. `tsc` checks and compiles all that is reached,
 * types of other libs included; the package gets its own files and those of libs/signatures that they load.
 *
 *   node packages/receiver/build.ts [directory]     default: where it stands; `npm pack` and `npm publish` do this first
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const formats = ['esm', 'cjs'] as const;
type Format = (typeof formats)[number];
// Checked as ES modules, which it is written as.
const asCommonJs = '--module commonjs --moduleResolution bundler --verbatimModuleSyntax false --noCheck'.split(' ');

const own = import.meta.dirname;
const root = resolve(own, '../..');
const into = resolve(process.argv[2] ?? own);
const dist = join(into, 'dist');
const compiled = mkdtempSync(join(tmpdir(), 'hookline-receiver-'));

rmSync(dist, { recursive: true, force: true });
try {
  compile('esm', []);
  compile('cjs', asCommonJs);
  publish('packages/receiver/src', /\.(js|d\.ts)$/);
  publish('libs/signatures', /\.js$/);
} finally {
  rmSync(compiled, { recursive: true });
}
writeFileSync(join(dist, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
copy(['LICENSE', 'NOTICE'], root);
if (into !== own) copy(['package.json', 'README.md'], own);

function compile(format: Format, options: readonly string[]): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const project = ['-p', join(own, 'tsconfig.build.json'), '--outDir', join(compiled, format)];
  execFileSync(process.execPath, [tsc, ...project, ...options], { stdio: 'inherit' });
}

function publish(folder: string, published: RegExp): void {
  for (const format of formats) {
    const source = join(compiled, format, folder);
    const target = join(dist, format, folder);
    mkdirSync(target, { recursive: true });
    for (const name of readdirSync(source).filter((found) => published.test(found))) {
      const text = readFileSync(join(source, name), 'utf8');
      writeFileSync(join(target, name), name.endsWith('.js') ? text : types(text));
    }
  }
}

/** `tsc` rewrites the extensions of scripts alone. */
function types(text: string): string {
  return text.replaceAll(/(from '\.\/[^']+)\.ts'/g, "$1.js'");
}

function copy(names: readonly string[], from: string): void {
  for (const name of names) copyFileSync(join(from, name), join(into, name));
}
