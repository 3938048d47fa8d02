import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';

/** An object literal that is spread into another: its members could stand there themselves. */
const spreads = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.includes('...{'));

test('no literal is spread to pack several members on a line', () => {
  const files = globSync(['{services,libs,deploy,test}/**/*.ts', 'packages/*/src/**/*.ts'], {
    cwd: root,
    exclude: ['test/unit/docs/literal-spreads.test.ts'],
  });
  expect(files.length).toBeGreaterThan(1_500);
  const found = files.flatMap((file) =>
    spreads(readFileSync(join(root, file), 'utf8')).map((line) => `${file}: ${line}`),
  );
  expect(found).toEqual([]);
});

test('a spread of what is none, or depends on something, is another thing', () => {
  expect(spreads('f({ ...{ a, b }, c })')).toHaveLength(1);
  expect(spreads('f({ ...given, ...(isOn && { b }), c })')).toEqual([]);
});
