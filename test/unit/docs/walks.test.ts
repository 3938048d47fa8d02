/** docs/tenancy.md lists every walk over tenants' data: no other is there, and each has a test that holds its bound. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRecursions, recursionsIn } from '../../support/find-recursions.ts';

const root = join(import.meta.dirname, '../../..');
const document = readFileSync(join(root, 'docs/tenancy.md'), 'utf8');

interface Row {
  file: string;
  functions: readonly string[];
  isRecursion: boolean;
  test: string;
}

/** `| \`libs/a/b.ts\` \`visit\`, \`look\` | walks … | bound | [test](../test/…) |`; recursions first, then what repeats. */
const rows: Row[] = [
  ...document.matchAll(/^\| (r|w) \| `([^`]+\.ts)`: ([^|]*) \| [^|]+ \| [^|]+ \| ([^|]+) \|$/gm),
].map(([, kind, file = '', names = '', test = '']) => ({
  file,
  functions: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).sort(),
  isRecursion: kind === 'r',
  test: /\]\(\.\.\/([^)]+)\)/.exec(test)?.[1] ?? '',
}));
const nameOf = ({ file, functions }: Pick<Row, 'file' | 'functions'>): string => `${file}: ${functions.join(', ')}`;
/** Walks of the worker have its limits of time and memory. */
const inWorker = /^libs\/schema-checks\//;

test('every recursion over data of any shape is in the table, and the table has no other', () => {
  const found = findRecursions(root, ['libs', 'services']).filter(({ file }) => !inWorker.test(file));
  const listed = rows.filter(({ isRecursion }) => isRecursion);
  expect(found.map(nameOf).filter((name) => !listed.some((row) => nameOf(row) === name))).toEqual([]);
  const gone = listed.filter((row) => !found.some((one) => nameOf(one) === nameOf(row)));
  // A file that is walked by the worker now, or has no such function any more.
  expect(gone.filter(({ file }) => existsSync(join(root, file))).map(nameOf)).toEqual([]);
});

test('every walk of the table is in its file, and its test is there', () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const { file, functions, test: path } of rows) {
    if (!existsSync(join(root, file))) continue;
    const text = readFileSync(join(root, file), 'utf8');
    for (const name of functions) expect([file, name, text.includes(name)]).toEqual([file, name, true]);
    expect([file, path, path !== '' && existsSync(join(root, path))]).toEqual([file, path, true]);
  }
});

test.each([
  ['itself', 'function visit(value: unknown): void { for (const one of [value]) visit(one); }', ['visit']],
  ['itself, as a callback', 'const copy = (value: JsonValue): unknown => [value].map(copy);', ['copy']],
  [
    'itself through another',
    'function a(value: unknown) { const b = (inner: string) => a(inner); return b(String(value)); }',
    ['a', 'b'],
  ],
  ['itself as a method', 'class A { visit(value: unknown): void { this.visit(value); } }', ['visit']],
  ['another alone', 'function a(value: unknown) { return b(value); } const b = (value: unknown) => value;', undefined],
  ['itself over text', 'const skip = (text: string): string => skip(text.slice(1));', undefined],
  ['a member of its name', 'function read(value: unknown) { return [value].read(); }', undefined],
])('a function that calls %s is found', (_what, text, functions) => {
  expect(recursionsIn(text)).toEqual(functions === undefined ? [] : [functions]);
});
