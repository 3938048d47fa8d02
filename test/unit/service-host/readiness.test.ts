import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { waitUntil } from '../../support/wait-until.ts';

const fixture = join(import.meta.dirname, '../../support/hosted-part.ts');

let service: ChildProcess;
let url: string;

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  url = `http://127.0.0.1:${port}`;
  service = fork(fixture, {
    env: {
      PATH: process.env.PATH,
      HOOKLINE_ENV: 'test',
      HOOKLINE_LOG_LEVEL: 'silent',
      HOOKLINE_HOST: '127.0.0.1',
      HOOKLINE_ADMIN_PORT: String(port),
    },
    execArgv: [],
    stdio: 'ignore',
  });
  await waitUntil('it answers', async () => (await status('/livez')) === 200);
});
afterAll(async () => {
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

const status = (path: string): Promise<number | undefined> =>
  fetch(`${url}${path}`).then(
    ({ status: code }) => code,
    () => undefined,
  );

async function set(readiness: 'ready' | 'not ready'): Promise<void> {
  const heard = once(service, 'message');
  service.send(readiness);
  await heard;
}

async function gauge(): Promise<string | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return /^hookline_service_ready (\d)$/m.exec(text)?.[1];
}

test('a service is ready only while each of its parts is, and alive all the while', async () => {
  const seen: unknown[] = [];
  const look = async (): Promise<void> =>
    void seen.push([await status('/readyz'), await status('/livez'), await gauge()]);
  await look();
  await set('ready');
  await look();
  await set('not ready');
  await look();
  expect(seen).toEqual([
    [503, 200, '0'],
    [200, 200, '1'],
    [503, 200, '0'],
  ]);
});
