import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configTable } from '#lib/config';
import { settingsByService, wholeEnvExample } from './documents.ts';
import { errorsDocument } from './errors-document.ts';

const root = join(import.meta.dirname, '../..');

writeFileSync(join(root, '.env.example'), wholeEnvExample());
writeFileSync(join(root, 'docs/errors.md'), errorsDocument());

const table = /^\| variable \| default \| \|\n\|---\|---\|---\|\n(?:\|.*\n)*/m;
for (const [service, fields] of Object.entries(settingsByService)) {
  const file = join(root, 'services', service, 'README.md');
  const text = readFileSync(file, 'utf8');
  if (!table.test(text)) throw new Error(`${file} has no table of settings to replace`);
  writeFileSync(
    file,
    text.replace(table, () => `${configTable(fields)}\n`),
  );
}
