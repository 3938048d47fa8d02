import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProcess } from '../../bench/support/in-process.ts';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'in-process-'))));
afterEach(() => rmSync(dir, { recursive: true }));

function program(text: string): string {
  const file = join(dir, 'program.mjs');
  writeFileSync(file, text);
  return file;
}

test('a program answers its job with a report', async () => {
  const echo = program(`process.once('message', (job) => process.send({ got: job }))`);

  expect(await inProcess(echo, { n: 1 })).toEqual({ got: { n: 1 } });
});

test('a program that ends without a report is an error, and nobody waits for ever', async () => {
  const silent = program(`process.once('message', () => undefined)`);

  await expect(inProcess(silent, { n: 1 })).rejects.toThrow(/ended before it reported: code 0, signal null/);
});
