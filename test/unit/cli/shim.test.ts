import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const shim = resolve(import.meta.dirname, '../../../hookline');
const folder = mkdtempSync(join(tmpdir(), 'hookline shim '));
afterAll(() => rmSync(folder, { recursive: true }));

/** Started in a folder that is not the repository, with nothing of the caller's environment. */
function run(file: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(file, args, {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

const call = ['check-url', 'http://127.0.0.1/'];
const answer = { code: 1, stdout: 'blocked: loopback\n', stderr: '' };

test('runs the command from another folder, and hands its arguments, output and exit code through', () => {
  expect(run(shim, call)).toEqual(answer);
});

test('runs the command through symbolic links, absolute and relative', () => {
  mkdirSync(join(folder, 'bin'));
  symlinkSync(shim, join(folder, 'bin', 'absolute'));
  symlinkSync('absolute', join(folder, 'bin', 'relative'));
  symlinkSync('bin/relative', join(folder, 'outer'));
  expect(run(join(folder, 'outer'), call)).toEqual(answer);
  expect(run('./outer', call)).toEqual(answer);
});

test('runs the pinned Node, whatever Node the PATH has', () => {
  mkdirSync(join(folder, 'other'));
  symlinkSync('/bin/false', join(folder, 'other', 'node'));
  const { status, stdout } = spawnSync(shim, call, {
    cwd: folder,
    env: { PATH: `${join(folder, 'other')}:/usr/bin:/bin` },
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([answer.code, answer.stdout]);
});

test('in the image the same command is a link to a file that Node runs: there is no shell', () => {
  const ofImage = resolve(import.meta.dirname, '../../../deploy/docker/hookline');
  expect(readFileSync(ofImage, 'utf8')).toMatch(/^#!\/usr\/local\/bin\/node\n/);
  expect(statSync(ofImage).mode & 0o111).toBe(0o111);
  const dockerfile = readFileSync(resolve(ofImage, '../Dockerfile'), 'utf8');
  expect(dockerfile).toContain('ln -s /app/deploy/docker/hookline /content/usr/local/bin/hookline');
  symlinkSync(ofImage, join(folder, 'of-image'));
  expect(run(process.execPath, [join(folder, 'of-image'), ...call])).toEqual(answer);
});

test('says what to run where node_modules is missing', () => {
  const bare = join(folder, 'bare');
  mkdirSync(bare);
  copyFileSync(shim, join(bare, 'hookline'));
  chmodSync(join(bare, 'hookline'), 0o755);
  const { code, stdout, stderr } = run(join(bare, 'hookline'), ['--help']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/node_modules is missing: run `make up` \(or `npm ci`\) in .*bare\n$/);
});

test('keeps what Node compiles in the checkout, or where the caller says', () => {
  const checkout = join(folder, 'checkout');
  const node = join(checkout, 'node_modules/node/bin/node');
  mkdirSync(join(node, '..'), { recursive: true });
  writeFileSync(node, '#!/bin/sh\necho "$NODE_COMPILE_CACHE"\n', { mode: 0o755 });
  const copy = join(checkout, 'hookline');
  copyFileSync(shim, copy);
  chmodSync(copy, 0o755);
  expect(run(copy, []).stdout.trim()).toBe(join(realpathSync(checkout), '.hookline/compile-cache'));
  const { stdout } = spawnSync(copy, { env: { NODE_COMPILE_CACHE: '/elsewhere' }, encoding: 'utf8' });
  expect(stdout).toBe('/elsewhere\n');
});
