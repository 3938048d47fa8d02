import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemCodes } from '#lib/problem';
import { errorsDocument } from '../../support/errors-document.ts';

test('docs/errors.md has every error, as the code has it (`npm run docs:write` writes it anew)', () => {
  expect(readFileSync(join(import.meta.dirname, '../../../docs/errors.md'), 'utf8')).toBe(errorsDocument());
});

test('what is said of an error fits into a row of a table', () => {
  for (const { title, advice } of Object.values(problemCodes)) expect(`${title}${advice}`).not.toMatch(/[|\n]/);
});
