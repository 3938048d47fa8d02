import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const script = resolve(import.meta.dirname, '../../../deploy/local/install/packages-match.js');
const wanted = {
  '': { version: '0.1.0' },
  'node_modules/kafkajs': { version: '2.2.4' },
  'node_modules/other-platform': { version: '1.0.0', optional: true },
};
const installed = { 'node_modules/kafkajs': { version: '2.2.4' } };

describe('whether node_modules holds what package-lock.json says', () => {
  let dir: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-packages-'));
    writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
    mkdirSync(join(dir, 'node_modules'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const lock = (file: string, packages: object) => writeFileSync(join(dir, file), JSON.stringify({ packages }));
  const status = () => spawnSync(process.execPath, [script], { cwd: dir }).status;

  it('it does where all versions are there, those for other platforms aside', () => {
    lock('package-lock.json', wanted);
    lock('node_modules/.package-lock.json', installed);
    expect(status()).toBe(0);
  });

  it.each([
    ['another version', { 'node_modules/kafkajs': { version: '2.2.3' } }],
    ['a package that is not there', {}],
  ])('it does not with %s', (_what, packages) => {
    lock('package-lock.json', wanted);
    lock('node_modules/.package-lock.json', packages);
    expect(status()).toBe(1);
  });

  it('it does not after an install that was cut short', () => {
    lock('package-lock.json', wanted);
    expect(status()).toBe(1);
  });
});
