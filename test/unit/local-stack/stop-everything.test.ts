import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcesses } from '#deploy/local/processes/processes.ts';
import { stopEverything } from '#deploy/local/stack/stop-everything.ts';
import { until } from '#deploy/local/processes/until.ts';

const timeoutMs = 10_000;
/** Says that it is there; told to end, it writes its name behind those of others. */
const program = 'trap "echo $0 >> ended; exit 0" TERM INT; echo ready; while :; do sleep 0.05; done';

it('what uses servers ends before them, RabbitMQ before its port mapper, and the holder goes on', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookline-stop-'));
  const processes = createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') });
  const names = ['epmd', 'postgres', 'rabbitmq', 'server', 'holder'];
  try {
    for (const name of names) {
      await processes.start({ name, command: '/bin/sh', args: ['-c', program, name], cwd: dir });
      const isReady = () => processes.lastLogLines(name, 1).includes('ready') || undefined;
      await until(`${name} to listen to signals`, isReady, { timeoutMs });
    }

    await stopEverything(processes);

    expect(readFileSync(join(dir, 'ended'), 'utf8').split('\n')).toEqual([
      'server',
      'rabbitmq',
      'epmd',
      'postgres',
      '',
    ]);
    expect(processes.pid('holder')).toBeDefined();
  } finally {
    await processes.stop('holder');
    rmSync(dir, { recursive: true, force: true });
  }
});
