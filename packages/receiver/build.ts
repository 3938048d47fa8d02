/**
 * Builds the package into a directory that `npm pack` and `npm publish` take as it is: ES modules, CommonJS, types. `tsc` checks and compiles all
 * that is reached, types of other libs included; the package gets its own files and those of libs/signatures that they load.
 *
 *   node packages/receiver/build.ts [directory]     default: packages/receiver/dist
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const own = import.meta.dirname;
const root = resolve(own, '../..');
const into = resolve(process.argv[2] ?? join(own, 'dist'));
const compiled = mkdtempSync(join(tmpdir(), 'hookline-receiver-'));

try {
  compile();
  publish('packages/receiver/src', /\.(js|d\.ts)$/);
  publish('libs/signatures', /\.js$/);
} finally {
  rmSync(compiled, { recursive: true });
}
writeFileSync(join(into, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
for (const name of ['package.json', 'README.md']) copyFileSync(join(own, name), join(into, name));
// The owner's, if there is one yet.
if (existsSync(join(root, 'LICENSE'))) copyFileSync(join(root, 'LICENSE'), join(into, 'LICENSE'));

function compile(): void {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const options = ['-p', join(own, 'tsconfig.build.json'), '--outDir', compiled];
  execFileSync(process.execPath, [tsc, ...options], { stdio: 'inherit' });
}

function publish(folder: string, published: RegExp): void {
  for (const format of ['esm', 'cjs'] as const) {
    const target = join(into, format, folder);
    rmSync(target, { recursive: true, force: true });
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
