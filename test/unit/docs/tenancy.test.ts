import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tenancyDocument } from '../../support/tenancy-document.ts';

test('docs/tenancy.md has every limit, as the code has it (`npm run docs:write` writes it anew)', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/tenancy.md'), 'utf8');
  expect(page).toBe(tenancyDocument(page));
});
