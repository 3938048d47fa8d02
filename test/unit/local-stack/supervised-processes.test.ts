import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#lib/runtime';
import { withLock, withLockIfFree } from '#deploy/local/processes/lock.ts';
import { createProcesses, type Processes } from '#deploy/local/processes/processes.ts';
import { createSupervisor, type Restart } from '#deploy/local/supervise/supervisor.ts';
import { until } from '#deploy/local/processes/until.ts';

const timeoutMs = 20_000;
const names = ['kafka', 'dispatcher'];

describe('a supervisor of real processes', () => {
  let dir: string;
  let processes: Processes;
  let restarts: Restart[];
  let watching: Promise<void>;
  const stopped = new AbortController();
  const lock = () => join(dir, 'stack.lock');

  const launch = async (name: string): Promise<void> => {
    const args = ['-c', `echo ${name} is there; sleep 600`];
    await processes.start({ name, command: '/bin/sh', args, cwd: dir });
  };
  const pidOf = (name: string) => until(`${name} to run`, () => processes.pid(name), { timeoutMs });
  const kill = async (name: string): Promise<void> => {
    process.kill(await pidOf(name), 'SIGKILL');
    await until(`${name} to be gone`, () => processes.pid(name) === undefined || undefined, { timeoutMs });
  };
  const restartsOf = (name: string) => restarts.filter((restart) => restart.name === name);

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-supervisor-'));
    processes = createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') });
    restarts = [];
    for (const name of names) await launch(name);
    const supervisor = createSupervisor({
      programs: names.map((name) => ({ name, launch: () => launch(name) })),
      processes,
      isInCharge: () => true,
      withStack: (work) => withLockIfFree(lock(), 'the supervisor', work),
      onRestart: (restart) => restarts.push(restart),
      onFailure: (_name, error) => {
        throw error;
      },
      clock: systemClock,
      random: Math.random,
    });
    const watch = async (): Promise<void> => {
      while (!stopped.signal.aborted) {
        await supervisor.look();
        await systemClock.sleep(20, stopped.signal);
      }
    };
    watching = watch();
  });
  afterAll(async () => {
    stopped.abort();
    await watching;
    for (const name of processes.names()) await processes.stop(name);
    rmSync(dir, { recursive: true, force: true });
  });

  it('starts again one that was killed, and leaves the other alone', async () => {
    const [killed, other] = [await pidOf('dispatcher'), await pidOf('kafka')];
    await kill('dispatcher');
    expect(await pidOf('dispatcher')).not.toBe(killed);
    expect(processes.pid('kafka')).toBe(other);
    const restart = await until('it to be said', () => restartsOf('dispatcher').at(-1), { timeoutMs });
    expect(restart).toMatchObject({
      name: 'dispatcher',
      how: { signal: 'SIGKILL' },
      lastLogLine: 'dispatcher is there',
    });
  });

  it('leaves what a command has stopped alone while that command is at work', async () => {
    const before = restartsOf('kafka').length;
    const otherBefore = restartsOf('dispatcher').length;
    let mine = 0;
    await withLock(lock(), 'make up', async () => {
      await processes.stop('kafka');
      // Long past its wait: the first one is a second and a fifth at the most.
      await systemClock.sleep(2_000);
      expect(processes.pid('kafka')).toBeUndefined();
      await launch('kafka');
      mine = await pidOf('kafka');
    });
    // The supervisor continues, with processes that end after that.
    await kill('dispatcher');
    await until('another restart', () => restartsOf('dispatcher').length > otherBefore || undefined, { timeoutMs });
    expect(processes.pid('kafka')).toBe(mine);
    expect(restartsOf('kafka')).toHaveLength(before);
  });
});
