import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHookline } from '../../support/run-hookline.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-completion-'));
  for (const shell of ['bash', 'zsh'])
    writeFileSync(join(folder, shell), (await runHookline(['completion', shell])).stdout);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The words that bash offers for the last one. */
function offered(...words: string[]): string[] {
  const script = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hookline; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script, join(folder, 'bash'), ...words], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

test.each([
  [['hookline', 'so'], ['sources']],
  [['hookline', 'sources', 're'], ['rejections']],
  [
    ['./hookline', 'dlq', 'list', '--st'],
    ['--stage', '--status'],
  ],
  [['hookline', 'send', 'src_1', '--secret', 'x', '--sc'], ['--scheme']],
  [['hookline', 'status', '--u'], ['--utc']],
])('bash completes %j', (words, choices) => {
  expect(offered(...words)).toEqual(choices);
});

const hasZsh = spawnSync('zsh', ['-c', 'true']).status === 0;
(hasZsh ? test : test.skip)('the script of zsh is one that zsh can read', () => {
  expect(spawnSync('zsh', ['-n', join(folder, 'zsh')], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});

test('another shell is wrong usage', async () => {
  const { code, stderr } = await runHookline(['completion', 'fish']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('there is bash and zsh')]);
});
