import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceSchemes } from '#lib/contract';
import { schemeCases } from '../signatures/scheme-cases.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/signature-schemes.md'), 'utf8');

test('docs/signature-schemes.md has a row for each scheme, in the order of the code', () => {
  const [, table = ''] = /^\| scheme \| header \|.*\n\|[-|]+\n((?:\|.*\n)*)/m.exec(page) ?? [];
  expect([...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name)).toEqual([...sourceSchemes]);
});

test.each(sourceSchemes)('%s has a case, written from its documentation', (scheme) => {
  expect(schemeCases.map((testCase) => testCase.scheme)).toContain(scheme);
});
