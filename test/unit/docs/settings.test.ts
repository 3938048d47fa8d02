import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceTable, settingsByService, tracingTable, wholeEnvExample } from '../../support/documents.ts';

const root = join(import.meta.dirname, '../../..');

test('.env.example has every setting, as the code has it (`npm run docs:write` writes it anew)', () => {
  expect(readFileSync(join(root, '.env.example'), 'utf8')).toBe(wholeEnvExample());
});

test.each(Object.entries(settingsByService))(
  'the README of %s has its table of settings, as the code has it',
  (service, fields) => {
    expect(readFileSync(join(root, 'services', service, 'README.md'), 'utf8')).toContain(serviceTable(fields));
  },
);

test('docs/tracing.md has the table of OpenTelemetry variables, and no README repeats it', () => {
  expect(readFileSync(join(root, 'docs/tracing.md'), 'utf8')).toContain(tracingTable());
  for (const service of Object.keys(settingsByService))
    expect(readFileSync(join(root, 'services', service, 'README.md'), 'utf8')).not.toMatch(/^\| `OTEL_/m);
});
