import { dirname, join } from 'node:path';
import { createProcesses } from '#deploy/local/processes/processes.ts';

export const serverNames = ['kafka', 'redis', 'postgres', 'registry'] as const;

/** Pids of the servers of the tests. @throws Error if they do not run on this machine */
export function serverPids(): Record<(typeof serverNames)[number], number> {
  const dir = dirname(process.env.HOOKLINE_TEST_SERVERS ?? '');
  const processes = createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') });
  const pidOf = (name: string): number => {
    const pid = processes.pid(name);
    if (pid === undefined) throw new Error(`${name} does not run in ${dir}`);
    return pid;
  };
  return {
    kafka: pidOf('kafka'),
    redis: pidOf('redis'),
    postgres: pidOf('postgres'),
    registry: pidOf('registry'),
  };
}
