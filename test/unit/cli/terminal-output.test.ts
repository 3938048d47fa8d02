/** A person's view on a terminal: colours, tables that fit, local times; and what a program gets all the same. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { withCompileCache } from '../../support/compile-cache.ts';
import { runHookline, spawnHookline } from '../../support/run-hookline.ts';
import { startFakeApi } from './fake-api.ts';

const root = resolve(import.meta.dirname, '../../..');
const escape = '\u001b';

const delivery = {
  created_at: '2026-01-31T23:30:00.123456Z',
  id: 'dlv_01kg0000000000000000000000',
  endpoint_id: 'ep_01kg0000000000000000000000',
  status: 'dead_lettered',
  attempts: 20,
  last_outcome: 'http_5xx',
  last_http_status: 500,
  last_detail: 'x'.repeat(200),
};

let api: Awaited<ReturnType<typeof startFakeApi>>;
beforeAll(async () => {
  api = await startFakeApi(({ path }) =>
    path.startsWith('/v1/deliveries?')
      ? { status: 200, body: [delivery] }
      : path.startsWith('/v1/deliveries/')
        ? { status: 200, body: delivery }
        : { status: 404, body: { title: 'No', code: 'not_found' } },
  );
});
afterAll(() => api.stop());

/** On a terminal of its own, which `script` (of every Linux) makes. */
async function onTerminal(call: string, env: Record<string, string> = {}): Promise<string> {
  const command = `stty cols 80; exec '${process.execPath}' services/cli/main.ts ${call}`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      SHELL: '/bin/sh',
      TERM: 'xterm',
      TZ: 'UTC',
      ...withCompileCache,
      ...api.env,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return (await text(child.stdout)).replaceAll('\r', '');
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('on a terminal', () => {
  test('states and failures have a colour', async () => {
    expect(await onTerminal('deliveries list')).toContain(`${escape}[31mdead_lettered${escape}[0m`);
    expect(await onTerminal('sources list')).toContain(`${escape}[31mhookline:${escape}[0m No (404`);
  });

  test.each<Record<string, string>>([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('none with %j', async (env) => {
    for (const call of ['deliveries list', 'sources list']) expect(await onTerminal(call, env)).not.toContain(escape);
  });

  test('a table of wide rows fits 80 columns, and every id is whole', async () => {
    const shown = await onTerminal('deliveries list', { NO_COLOR: '1' });
    expect(Math.max(...shown.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(shown).toContain(delivery.id);
    expect(shown).toContain(delivery.endpoint_id);
  });
});

describe('in a pipe', () => {
  const run = (call: string, env: Record<string, string> = {}) =>
    runHookline(call.split(' '), { env: { ...api.env, ...env } });
  /** The zone is the process's. */
  const runIn = (TZ: string, call: string) => spawnHookline(call.split(' '), { env: { ...api.env, TZ } });

  test('there is neither colour nor a limit, but that of COLUMNS', async () => {
    const { stdout } = await run('deliveries list');
    expect(stdout).not.toContain(escape);
    expect(stdout.trim().split('\n')).toHaveLength(2);
    expect(stdout).toContain(delivery.last_detail);
    const narrow = (await run('deliveries list', { COLUMNS: '80' })).stdout.split('\n');
    expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('times are local, in UTC with --utc, and exact with --json', async () => {
    const berlin = 'Europe/Berlin';
    expect((await runIn(berlin, 'deliveries list')).stdout).toContain('2026-02-01T00:30:00+01:00 ');
    expect((await runIn('America/St_Johns', 'deliveries list')).stdout).toContain('2026-01-31T20:00:00-03:30 ');
    expect((await runIn(berlin, 'deliveries show x')).stdout).toContain('2026-02-01T00:30:00.123456+01:00\n');
    expect((await runIn(berlin, 'deliveries list --utc')).stdout).toContain('2026-01-31T23:30:00Z ');
    for (const call of ['deliveries show x --json', 'deliveries show x --json --utc'])
      expect(JSON.parse((await runIn(berlin, call)).stdout)).toEqual(delivery);
  });
});
