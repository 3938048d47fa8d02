import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLogger, openLogOutput } from '#lib/log';
import { createManualClock } from '#lib/runtime';

const folder = mkdtempSync(join(tmpdir(), 'hookline-log-'));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true }));

const eventsIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { event: string }).event);

function createWorld() {
  const path = join(folder, `${(files += 1)}.log`);
  const fd = openSync(path, 'w');
  const clock = createManualClock();
  const output = openLogOutput({ clock, fd });
  const log = createLogger({ service: 'one', level: 'debug' }, output);
  return { path, clock, output, log, written: () => eventsIn(readFileSync(path, 'utf8')), close: () => closeSync(fd) };
}

describe('lines of a process', () => {
  it('are written together, 250 ms after the first at the latest', async () => {
    const { clock, log, written, close } = createWorld();
    log.info({ event: 'a' });
    log.debug({ event: 'b' });
    await clock.advance(200);
    log.info({ event: 'c' });
    expect(written()).toEqual([]);
    await clock.advance(50);
    expect(written()).toEqual(['a', 'b', 'c']);
    log.info({ event: 'd' });
    await clock.advance(250);
    expect(written()).toEqual(['a', 'b', 'c', 'd']);
    close();
  });

  it.each(['warn', 'error'] as const)('are written at once with a %s, in their order', (level) => {
    const { output, log, written, close } = createWorld();
    const other = createLogger({ service: 'two', level: 'info' }, output);
    log.info({ event: 'a' });
    other.info({ event: 'b' });
    other[level]({ event: 'c' });
    expect(written()).toEqual(['a', 'b', 'c']);
    log.info({ event: 'd' });
    expect(written()).toHaveLength(3);
    close();
  });

  it('don’t wait once there are many', () => {
    const { log, written, close } = createWorld();
    for (let n = 0; n < 1_000; n += 1) log.info({ event: 'a' });
    expect(written().length).toBeGreaterThan(900);
    close();
  });

  it('have no timer while none waits', async () => {
    let limits = 0;
    const clock = createManualClock();
    const counted = { startLimit: (ms: number, onDue: () => void) => ((limits += 1), clock.startLimit(ms, onDue)) };
    const fd = openSync(join(folder, 'counted.log'), 'w');
    const log = createLogger({ service: 'one', level: 'info' }, openLogOutput({ clock: counted, fd }));
    await clock.advance(1_000);
    expect(limits).toBe(0);
    for (let n = 0; n < 10; n += 1) log.info({ event: 'a' });
    await clock.advance(1_000);
    expect(limits).toBe(1);
    closeSync(fd);
  });

  it.each([
    ['a text', { tenant: 'a'.repeat(1.5 * 2 ** 20) }],
    ['a text that JSON escapes', { tenant: '\0'.repeat(1.5 * 2 ** 20) }],
    ['many texts', { ids: Array.from({ length: 200_000 }, (_, n) => `evt_${n}`) }],
    ['a text inside', { err: { message: 'é'.repeat(2 ** 21) } }],
    ['many facts', Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`fact ${n}`, 'a'.repeat(999)]))],
  ])('that are too long because of %s are written shorter', (_what, facts) => {
    const { path, log, close } = createWorld();
    log.error({ event: 'letter.not_projected', offset: '7', ...facts });
    const [line = '', ...more] = readFileSync(path, 'utf8').split('\n');
    expect(more).toEqual(['']);
    expect(JSON.parse(line)).toMatchObject({ level: 50, event: 'letter.not_projected', offset: '7' });
    expect(Buffer.byteLength(line)).toBeLessThan(256 * 1024);
    close();
  });

  it('that can’t be written end nothing', async () => {
    const clock = createManualClock();
    const fd = openSync('/dev/full', 'w');
    const log = createLogger({ service: 'one', level: 'info' }, openLogOutput({ clock, fd }));
    for (let n = 0; n < 20_000; n += 1) log.warn({ event: 'a'.repeat(100) });
    await clock.advance(250);
    closeSync(fd);
  });
});

describe('lines that wait when their process ends', () => {
  const lib = (name: string): string => pathToFileURL(resolve(`libs/${name}/index.ts`)).href;

  /** Runs a program that logs a line, then does `how`. */
  async function run(how: string, signal?: NodeJS.Signals): Promise<string[]> {
    const program = `
      import { openLogOutput, createLogger } from '${lib('log')}';
      import { runProcess, systemClock } from '${lib('runtime')}';
      const log = createLogger({ service: 'one', level: 'info' }, openLogOutput({ clock: systemClock }));
      const body = {
        async start() {
          log.info({ event: 'last' });
          process.stderr.write('up');
        },
        makeUnready() {}, stop: async () => {}, stillRunning: () => [],
      };
      const live = () => {
        setInterval(() => {}, 1000);
        return runProcess({ body, log, clock: systemClock, shutdownTimeoutMs: 5000, failed: new Promise(() => {}) });
      };
      ${how}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (some: string) => (text += some));
    if (signal !== undefined) {
      await once(child.stderr, 'data');
      child.kill(signal);
    }
    await once(child, 'close');
    return eventsIn(text);
  }

  it.each([
    ['by itself', `log.info({ event: 'last' });`],
    ['by process.exit', `log.info({ event: 'last' }); process.exit(3);`],
    ['by an uncaught error', `log.info({ event: 'last' }); throw new Error('uncaught');`],
    ['by a rejection that nobody handles', `log.info({ event: 'last' }); void Promise.reject(new Error('unhandled'));`],
  ])('%s, are written', async (_name, how) => {
    expect(await run(how)).toEqual(['last']);
  });

  it('after SIGTERM, are written', async () => {
    expect(await run('await live();', 'SIGTERM')).toEqual(['last', 'service.stopping', 'service.stopped']);
  });

  it('are lost with SIGKILL, but for those that waited for 250 ms', async () => {
    const how = `
      log.info({ event: 'first' });
      await new Promise((resolve) => setTimeout(resolve, 1000));
      log.info({ event: 'lost' });
      process.kill(process.pid, 'SIGKILL');`;
    expect(await run(how)).toEqual(['first']);
  });
});
