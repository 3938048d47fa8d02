/**
 * Builds the package: `dist` with ES modules, CommonJS and types, and the project's licence. `tsc` checks and compiles all that is reached,
 * types of other libs included; the package gets its own files and those of libs/signatures that they load.
 *
 *   node packages/receiver/build.ts [directory]     default: where it stands; `npm pack` and `npm publish` do this first
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const own = import.meta.dirname;
const root = resolve(own, '../..');
const into = resolve(process.argv[2] ?? own);
const dist = join(into, 'dist');
const compiled = mkdtempSync(join(tmpdir(), 'hookline-receiver-'));

rmSync(dist, { recursive: true, force: true });
try {
  compile();
  publish('packages/receiver/src', /\.(js|d\.ts)$/);
  publish('libs/signatures', /\.js$/);
} finally {
  rmSync(compiled, { recursive: true });
}
writeFileSync(join(dist, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
copy(['LICENSE', 'NOTICE'], root);
if (into !== own) copy(['package.json', 'README.md'], own);

function compile(): void {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const options = ['-p', join(own, 'tsconfig.build.json'), '--outDir', compiled];
  execFileSync(process.execPath, [tsc, ...options], { stdio: 'inherit' });
}

function publish(folder: string, published: RegExp): void {
  for (const format of ['esm', 'cjs'] as const) {
    const target = join(dist, format, folder);
    mkdirSync(target, { recursive: true });
    for (const name of readdirSync(join(compiled, folder)).filter((found) => published.test(found))) {
      const text = readFileSync(join(compiled, folder, name), 'utf8');
      writeFileSync(join(target, name), name.endsWith('.js') ? script(text, format) : types(text));
    }
  }
}

function script(text: string, format: 'esm' | 'cjs'): string {
  if (format === 'esm') return text;
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}

/** `tsc` rewrites the extensions of scripts alone. */
function types(text: string): string {
  return text.replaceAll(/(from '\.\/[^']+)\.ts'/g, "$1.js'");
}

function copy(names: readonly string[], from: string): void {
  for (const name of names) copyFileSync(join(from, name), join(into, name));
}
