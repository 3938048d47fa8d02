import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const script = join(root, 'deploy/licences/check.ts');

describe('the check of licences', () => {
  let dir: string;
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'hookline-licences-'))));
  afterEach(() => rmSync(dir, { recursive: true }));

  const check = (cwd: string) => {
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd, encoding: 'utf8' });
    return { status, told: stderr.trim().split('\n') };
  };
  const lock = (packages: Record<string, object>): void =>
    writeFileSync(join(dir, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...packages } }));

  it('permits all that this project depends on', () => expect(check(root)).toEqual({ status: 0, told: [''] }));

  it.each([
    ['a permitted one', { license: 'ISC' }],
    ['a choice with a permitted one', { license: '(GPL-3.0-only OR MIT)' }],
    ['several that are permitted', { license: 'MIT AND Apache-2.0' }],
    ['any, if only development needs the package', { license: 'GPL-3.0-only', dev: true }],
  ])('permits %s', (_which, found) => {
    lock({ 'node_modules/some': { version: '1.0.0', ...found } });
    expect(check(dir).status).toBe(0);
  });

  it.each([
    ['a forbidden one', { license: 'AGPL-3.0-only' }],
    ['a permitted one together with a forbidden one', { license: 'MIT AND GPL-3.0-only' }],
    ['what is no SPDX expression', { license: 'SEE LICENSE IN LICENSE' }],
    ['a forbidden one of an optional package', { license: 'AGPL-3.0-only', devOptional: true }],
  ])('refuses %s, and names the package', (_which, found) => {
    lock({ 'node_modules/a/node_modules/@some/package': { version: '1.0.0', ...found } });
    const { status, told } = check(dir);
    expect(status).toBe(1);
    expect(told[0]).toBe(
      `@some/package@1.0.0 has the licence ${found.license}, which is not permitted: use another package`,
    );
  });

  it('refuses a package without a licence, and says what to do', () => {
    lock({ 'node_modules/some': { version: '1.0.0' } });
    expect(check(dir)).toEqual({
      status: 1,
      told: [expect.stringMatching(/^some@1\.0\.0 names no licence: read /), expect.stringContaining('MIT')],
    });
  });

  it('refuses a dependency of a published package that the lock does not have', () => {
    lock({ 'node_modules/some': { version: '1.0.0', license: 'MIT', dev: true } });
    mkdirSync(join(dir, 'packages/published'), { recursive: true });
    writeFileSync(join(dir, 'packages/published/package.json'), JSON.stringify({ dependencies: { some: '^1.0.0' } }));
    const { status, told } = check(dir);
    expect(status).toBe(1);
    expect(told[0]).toContain('packages/published/package.json needs some');
  });
});
