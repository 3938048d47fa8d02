import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isZombie } from '#deploy/local/processes/process-identity.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('a process that was killed', () => {
  test('is a zombie until its parent takes notice, and nothing after that (once: Postgres refused to start beside one)', async () => {
    // The shell becomes a program that never asks after its children.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const exited = once(parent, 'exit');
    try {
      const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(printed.toString());
      // Until then the shell may take notice itself.
      const program = (): string => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim();
      await waitUntil('the parent asks after nobody', () => program() === 'sleep');
      expect(isZombie(pid)).toBe(false);
      process.kill(pid, 'SIGKILL');
      await waitUntil('it is a zombie', () => isZombie(pid));
      parent.kill('SIGKILL');
      await waitUntil('it is gone', () => !isZombie(pid));
    } finally {
      parent.kill('SIGKILL');
      await exited;
    }
  });

  test('was none, where there is no such process', () => {
    expect(isZombie(2 ** 22 + 1)).toBe(false);
  });
});
