/** Comments begin with their subject: CONTRIBUTING.md. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const sources = globSync('{services,libs,deploy,packages,test}/**/*.ts', {
  cwd: root,
  exclude: ['**/node_modules/**', '**/dist/**'],
});
/** Openers that stand where a noun is wanted: "Of the page", "What it does", "Who asks", "Those that wait". */
const withoutSubject = /^\s*(?:\/\/|\*|\/\*\*) (?:Of|What|Who|Those) .*$/gm;

const found = (text: string): string[] => [...text.matchAll(withoutSubject)].map(([line]) => line.trim());

test('no comment begins with a word that stands for its subject', () => {
  expect(sources.length).toBeGreaterThan(1_000);
  const lines = sources.flatMap((path) =>
    found(readFileSync(join(root, path), 'utf8')).map((line) => `${path}: ${line}`),
  );
  expect(lines).toEqual([]);
});

test.each(['/** Of the page. */', '  // What it does.', ' * Those that wait.'])('%s would be found', (line) => {
  expect(found(`const a = 1;\n${line}\n`)).toEqual([line.trim()]);
});
