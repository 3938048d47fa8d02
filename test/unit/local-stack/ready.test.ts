import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcesses, type Processes } from '#deploy/local/processes/processes.ts';
import { ready, startReady } from '#deploy/local/processes/ready.ts';
import { until } from '#deploy/local/processes/until.ts';

const timeoutMs = 10_000;

describe('waiting until a process is ready', () => {
  let dir = '';
  let processes: Processes;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-ready-'));
    processes = createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') });
  });
  afterEach(async () => {
    for (const name of processes.names()) await processes.stop(name, { timeoutMs: 1_000 });
    rmSync(dir, { recursive: true, force: true });
  });

  const program = (script: string) => ({ name: 'server', command: '/bin/sh', args: ['-c', script], cwd: dir });
  /** Beats as long as it is not halted, into a file of its own. */
  const beating = () => program('while :; do echo $$ > beat.new; mv beat.new beat; sleep 0.05; done');
  const beat = () => readFileSync(join(dir, 'beat'), 'utf8').trim();

  it('one that ends before is reported at once, with the end of its log', async () => {
    await processes.start(program('echo first; echo "port in use"; exit 1'));
    const waiting = ready(processes, 'server', () => undefined, 60_000);
    await expect(waiting).rejects.toThrow(/server to be ready: its process has ended\n.*first\n.*port in use\n/s);
  });

  it('one that never answers is reported at the time limit', async () => {
    await processes.start(beating());
    const waiting = ready(
      processes,
      'server',
      () => {
        throw new Error('connection refused');
      },
      300,
    );
    await expect(waiting).rejects.toThrow(/waited 0 s for server to be ready \(connection refused\)/);
  });

  it('one that runs and answers is kept', async () => {
    const { pid } = await processes.start(beating());
    await startReady(processes, beating(), () => true, timeoutMs, 300);
    expect(processes.pid('server')).toBe(pid);
  });

  it('one that runs and has stopped answering is ended and started anew', async () => {
    const { pid } = await processes.start(beating());
    await until('the first beat', () => beat() === String(pid) || undefined, { timeoutMs });
    processes.signal('server', 'SIGSTOP');
    // Only a successor can beat with another pid.
    await startReady(processes, beating(), () => (beat() === String(pid) ? undefined : true), timeoutMs, 300);
    expect(processes.pid('server')).toBe(Number(beat()));
    expect(() => process.kill(pid, 0)).toThrow();
  });
});
