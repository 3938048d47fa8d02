import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { withLock } from '#deploy/local/processes/lock.ts';

const lockModule = resolve(import.meta.dirname, '../../../deploy/local/processes/lock.ts');

describe('the lock of a command', () => {
  let dir: string;
  let file: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-lock-'));
    file = join(dir, 'lock');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('lets one in at a time, and says who is waited for', async () => {
    const order: string[] = [];
    const held = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const first = withLock(file, 'make up', async () => {
      order.push('first in');
      held.resolve();
      await release.promise;
      order.push('first out');
    });
    await held.promise;
    const waited: string[] = [];
    const second = withLock(file, 'make down', async () => void order.push('second in'), {
      onWait: (holder) => {
        waited.push(holder);
        release.resolve();
      },
    });
    await Promise.all([first, second]);
    expect(order).toEqual(['first in', 'first out', 'second in']);
    expect(waited).toEqual([`make up (pid ${process.pid})`]);
  });

  it('is free again after work that failed', async () => {
    await expect(withLock(file, 'make up', async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(withLock(file, 'make up', async () => 'in')).resolves.toBe('in');
  });

  it('ends with the process that held it, however that ended', async () => {
    const script = `
      const { withLock } = await import(process.argv[1]);
      await withLock(process.argv[2], 'make up', async () => {
        console.log('held');
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      });`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script, lockModule, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(createInterface({ input: holder.stdout }), 'line');
    const waited: string[] = [];
    const mine = withLock(file, 'make down', async () => 'in', {
      onWait: (by) => {
        waited.push(by);
        holder.kill('SIGKILL');
      },
    });
    await expect(mine).resolves.toBe('in');
    expect(waited).toEqual([`make up (pid ${holder.pid})`]);
  });
});
