import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { withCompileCache } from '../../support/compile-cache.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startFakeApi } from './fake-api.ts';

const root = resolve(import.meta.dirname, '../../..');
const ctrlC = '\u0003';
const ctrlD = '\u0004';

let preview: { dry_run: true; matched: number; left_out: number };
let api: Awaited<ReturnType<typeof startFakeApi>>;
beforeAll(async () => {
  api = await startFakeApi(({ body }) => ({
    status: 202,
    body: (body as { dry_run?: boolean } | undefined)?.dry_run
      ? preview
      : { id: 'rpl_1', status: 'completed', operation: null, replayed: 3, failed: 0, remaining: 0, outcome: null },
  }));
});
beforeEach(() => {
  preview = { dry_run: true, matched: 3, left_out: 0 };
  api.asked.splice(0);
});
afterAll(() => api.stop());

const answerOn = (typed: string) => runOn('dlq replay --all', typed);

/** On a terminal of its own, which `script` (of every Linux) makes; what is typed once it has asked. */
async function runOn(call: string, typed?: string): Promise<{ code: number | null; shown: string }> {
  const command = `exec '${process.execPath}' services/cli/main.ts ${call}`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      SHELL: '/bin/sh',
      TERM: 'xterm',
      NO_COLOR: '1',
      ...withCompileCache,
      ...api.env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  try {
    if (typed !== undefined) {
      await waitUntil('it asks', () => shown.includes('[y/N]'), { describe: () => shown });
      child.stdin.write(typed);
    }
    return { code: await ended, shown };
  } finally {
    child.kill('SIGKILL');
  }
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('a question on a terminal', () => {
  test('Ctrl-C ends it with 130, says what was not done, and shows no stack (once: an AbortError with its trace)', async () => {
    const { code, shown } = await answerOn(ctrlC);
    expect(shown).toMatch(/hookline: interrupted: nothing was replayed\r?\n/);
    expect(shown).not.toMatch(/Error|\.ts:\d| at /);
    expect(code).toBe(130);
    expect(api.asked).toHaveLength(1);
  });

  test('the end of the input is a no (once: a warning of a promise that is never settled)', async () => {
    const { code, shown } = await answerOn(ctrlD);
    expect(shown).toMatch(/hookline: nothing was replayed\r?\n/);
    expect(shown).not.toMatch(/Warning/);
    expect(code).toBe(1);
    expect(api.asked).toHaveLength(1);
  });

  test.each([
    ['n', 1, 1],
    ['', 1, 1],
    ['y', 0, 3],
  ])('%j is answered by exit code %i, after %i requests', async (typed, code, requests) => {
    expect((await answerOn(`${typed}\r`)).code).toBe(code);
    expect(api.asked).toHaveLength(requests);
  });

  test.each([
    ['dlq replay --all', 'no dead letters to replay'],
    ['events replay --all', 'nothing matches'],
    ['erase --type order.paid', 'no event matches'],
  ])('`%s` asks nothing where there is nothing', async (call, said) => {
    preview = { dry_run: true, matched: 0, left_out: 0 };
    const { code, shown } = await runOn(call);
    expect(shown).toContain(said);
    expect(shown).not.toContain('[y/N]');
    expect(code).toBe(0);
    expect(api.asked).toHaveLength(1);
  });
});
