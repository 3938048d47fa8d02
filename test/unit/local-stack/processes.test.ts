import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { identityText } from '#deploy/local/processes/process-identity.ts';
import { createProcesses, type Processes } from '#deploy/local/processes/processes.ts';
import { until } from '#deploy/local/processes/until.ts';

const timeoutMs = 10_000;
/** Prints that it is ready, then lives until it gets a signal. */
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
  const logged = (name: string, line: string) =>
    until(line, () => processes.lastLogLines(name, 5).includes(line) || undefined, { timeoutMs });

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

  const ended = (name: string) => until(`${name}'s end`, () => processes.howEnded(name), { timeoutMs });

  it('how it ended is known: by which signal, or with which exit code', async () => {
    const { pid } = await start('killed');
    expect(processes.howEnded('killed')).toBeUndefined();
    await logged('killed', 'ready');
    process.kill(pid, 'SIGKILL');
    expect(await ended('killed')).toEqual({ signal: 'SIGKILL' });
    await start('failed', ['-c', 'echo oh; exit 3']);
    expect(await ended('failed')).toEqual({ code: 3 });
    await start('done', ['-c', 'exit 0']);
    expect(await ended('done')).toEqual({ code: 0 });
    // Its own log is what it says itself.
    expect(processes.lastLogLines('killed', 5)).toEqual(['ready']);
  });

  it('how it ended is known of the one that was started last', async () => {
    await start('turns', ['-c', 'exit 3']);
    await ended('turns');
    await start('turns');
    expect(processes.howEnded('turns')).toBeUndefined();
  });

  it('how it ended is known though the command that started it is gone', async () => {
    const script = `
      const { createProcesses } = await import(process.argv[1]);
      const [, , run, log, sleeper] = process.argv;
      const { pid } = await createProcesses({ run, log }).start({ name: 'left', command: '/bin/sh', args: ['-c', sleeper], cwd: run });
      console.log(pid);`;
    const module = resolve(import.meta.dirname, '../../../deploy/local/processes/processes.ts');
    const args = [
      '--input-type=module',
      '-e',
      script,
      '--',
      module,
      join(dir, 'run'),
      join(dir, 'log'),
      sleeper[1] ?? '',
    ];
    const command = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const printed = await text(command.stdout);
    process.kill(Number(printed), 'SIGKILL');
    expect(await ended('left')).toEqual({ signal: 'SIGKILL' });
  });

  it('nothing of it runs when stop resolves, not even the shell beside it', async () => {
    for (let turn = 0; turn < 5; turn++) {
      await start('sleeper');
      await processes.stop('sleeper');
      expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(join(dir, 'run'));
    }
  });

  it('the last lines of a log of any size are its last', async () => {
    writeFileSync(processes.logFile('large'), `${'x'.repeat(3 * 1024 * 1024)}\nlast but one\nlast\n`);
    expect(processes.lastLogLines('large', 2)).toEqual(['last but one', 'last']);
  });

  it('a stranger to whom its pid has passed is neither taken for it nor signalled', async () => {
    const stranger = spawn('/bin/sh', ['-c', 'sleep 30'], { stdio: 'ignore' });
    try {
      const identity = identityText(stranger.pid ?? 0) ?? '';
      const file = join(dir, 'run', 'sleeper.pid');
      writeFileSync(file, identity);
      expect(processes.pid('sleeper')).toBe(stranger.pid);

      writeFileSync(file, startedEarlier(identity));
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
