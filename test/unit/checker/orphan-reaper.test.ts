import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { waitUntil } from '../../support/wait-until.ts';

const reaper = join(import.meta.dirname, '../../support/orphan-reaper.ts');

/** A run that starts two processes, releases one of them, prints both pids, and waits. */
const run = `
  import { spawn } from 'node:child_process';
  import { startOrphanReaper } from ${JSON.stringify(reaper)};
  const reaper = startOrphanReaper();
  const pids = [0, 1].map(() => spawn('sleep', ['60'], { stdio: 'ignore', detached: true }).pid);
  for (const pid of pids) reaper.watch(pid);
  reaper.release(pids[1]);
  console.log(JSON.stringify(pids));
  setInterval(() => undefined, 1_000);
`;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the orphan reaper', () => {
  it('ends what a run that was killed has left behind, and nothing that was released', async () => {
    const killed = spawn(process.execPath, ['--input-type=module-typescript', '-e', run], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: killed.stdout }), 'line')) as [string];
    const [watched, released] = JSON.parse(line) as [number, number];
    try {
      expect([watched, released].map(isAlive)).toEqual([true, true]);
      killed.kill('SIGKILL');
      await waitUntil('the watched process is gone', () => !isAlive(watched));

      expect(isAlive(released)).toBe(true);
    } finally {
      killed.kill('SIGKILL');
      if (isAlive(released)) process.kill(released, 'SIGKILL');
    }
  });
});
