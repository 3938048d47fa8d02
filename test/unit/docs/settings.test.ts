import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configTable } from '#lib/config';
import { settingsByService, wholeEnvExample } from '../../support/documents.ts';

const root = join(import.meta.dirname, '../../..');

test('.env.example has every setting, as the code has it (`npm run docs:write` writes it anew)', () => {
  expect(readFileSync(join(root, '.env.example'), 'utf8')).toBe(wholeEnvExample());
});

test.each(Object.entries(settingsByService))(
  'the README of %s has its table of settings, as the code has it',
  (service, fields) => {
    expect(readFileSync(join(root, 'services', service, 'README.md'), 'utf8')).toContain(configTable(fields));
  },
);
