import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityText } from '#deploy/local/process-identity.ts';
import { createProcesses, type Processes } from '#deploy/local/processes.ts';
import { until } from '#deploy/local/until.ts';

const timeoutMs = 10_000;
/** Says that it is there, then lives until it is told to end. */
const sleeper = ['-c', 'trap "echo bye; exit 0" TERM; echo ready; while :; do sleep 0.05; done'];

describe('processes', () => {
  let dir: string;
  let processes: Processes;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-processes-'));
    processes = createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') });
  });
  afterEach(async () => {
    for (const name of processes.names()) await processes.stop(name, { timeoutMs: 1_000 });
    rmSync(dir, { recursive: true, force: true });
  });

  const start = (name: string, args: readonly string[] = sleeper) =>
    processes.start({ name, command: '/bin/sh', args, cwd: dir });
  const logged = (name: string, text: string) =>
    until(text, () => processes.lastLogLines(name, 5).includes(text) || undefined, { timeoutMs });

  it('one that runs is not started a second time', async () => {
    const first = await start('sleeper');
    const second = await start('sleeper');
    expect(first.started).toBe(true);
    expect(second).toEqual({ pid: first.pid, started: false });
  });

  it('one that would be started otherwise now is stopped, then started so', async () => {
    const program = { name: 'sleeper', command: '/bin/sh', args: sleeper, cwd: dir };
    const first = await processes.start(program);
    await logged('sleeper', 'ready');
    const second = await processes.start({ ...program, env: { HOOKLINE_API_PORT: '1' } });
    expect(second.started).toBe(true);
    expect(second.pid).not.toBe(first.pid);
    expect(() => process.kill(first.pid, 0)).toThrow();
    const third = await processes.start({ ...program, env: { HOOKLINE_API_PORT: '1' }, made: 'of newer code' });
    expect(third.started).toBe(true);
  });

  it('another command that looks into the same folder knows what runs', async () => {
    const { pid } = await start('sleeper');
    const other = createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') });
    expect(other.pid('sleeper')).toBe(pid);
    expect(other.names()).toEqual(['sleeper']);
  });

  it('is stopped by its signal, may clean up, and is gone when stop resolves', async () => {
    const { pid } = await start('sleeper');
    await logged('sleeper', 'ready');
    await processes.stop('sleeper');
    expect(processes.lastLogLines('sleeper', 1)).toEqual(['bye']);
    expect(() => process.kill(pid, 0)).toThrow();
    expect(processes.names()).toEqual([]);
  });

  it('is killed where it does not end in time, even while it is halted', async () => {
    await start('deaf', ['-c', 'trap "" TERM; echo ready; while :; do sleep 0.05; done']);
    await logged('deaf', 'ready');
    processes.signal('deaf', 'SIGSTOP');
    await processes.stop('deaf', { timeoutMs: 200 });
    expect(processes.pid('deaf')).toBeUndefined();
  });

  it('stopping what does not run is harmless', async () => {
    await expect(processes.stop('nobody')).resolves.toBeUndefined();
  });

  it('one that was killed is known to be gone, and is started again', async () => {
    const { pid } = await start('sleeper');
    process.kill(pid, 'SIGKILL');
    await until('it to be gone', () => processes.pid('sleeper') === undefined || undefined, { timeoutMs });
    const again = await start('sleeper');
    expect(again.started).toBe(true);
    expect(again.pid).not.toBe(pid);
  });

  it('a stranger to whom its pid has passed is neither taken for it nor signalled', async () => {
    const stranger = spawn('/bin/sh', ['-c', 'sleep 30'], { stdio: 'ignore' });
    try {
      const text = identityText(stranger.pid ?? 0) ?? '';
      const file = join(dir, 'run', 'sleeper.pid');
      writeFileSync(file, text);
      expect(processes.pid('sleeper')).toBe(stranger.pid);

      writeFileSync(file, startedEarlier(text));
      expect(processes.pid('sleeper')).toBeUndefined();
      expect(processes.signal('sleeper', 'SIGKILL')).toBe(false);
      await processes.stop('sleeper');
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
      process.kill(stranger.pid ?? 0, 0);
    } finally {
      stranger.kill('SIGKILL');
      await once(stranger, 'exit');
    }
  });

  it('a pid file that was cut short is nobody', async () => {
    const { pid } = await start('sleeper');
    const file = join(dir, 'run', 'sleeper.pid');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, `${pid}\n`);
    expect(processes.pid('sleeper')).toBeUndefined();
    writeFileSync(file, whole);
    expect(processes.pid('sleeper')).toBe(pid);
  });

  it('a program that is not there is an error that names its log', async () => {
    const { pid } = await processes.start({ name: 'typo', command: join(dir, 'no-such-program'), args: [], cwd: dir });
    await until('it to be gone', () => processes.pid('typo') === undefined || undefined, { timeoutMs });
    expect(pid).toBeGreaterThan(0);
    expect(processes.lastLogLines('typo', 5).join('\n')).toMatch(/no-such-program/);
  });

  it('writes down what was started elsewhere', () => {
    processes.adopt('me', process.pid);
    expect(processes.pid('me')).toBe(process.pid);
    rmSync(join(dir, 'run', 'me.pid'));
    expect(existsSync(join(dir, 'run', 'me.pid'))).toBe(false);
  });
});

/** The same pid, another start: one clock tick (Linux), or another year (elsewhere). */
function startedEarlier(identity: string): string {
  if (process.platform !== 'linux') return identity.replace(/\d{4}\s*$/, '1999');
  const end = identity.lastIndexOf(')') + 2;
  const fields = identity.slice(end).split(' ');
  fields[19] = String(Number(fields[19]) - 1);
  return identity.slice(0, end) + fields.join(' ');
}
