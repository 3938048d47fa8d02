import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { waitUntil } from '../../support/wait-until.ts';

const fixture = join(import.meta.dirname, '../../support/hosted-services.ts');

interface Hosted {
  child: ChildProcess;
  told: string[];
  exited: Promise<unknown[]>;
  get(name: string, path: string): Promise<{ status: number | undefined; text: string }>;
}

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

async function host(names: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Hosted> {
  const ports = await freePorts(names.length);
  const child = fork(
    fixture,
    names.map((name, index) => `${name}=${ports[index]}`),
    {
      env: {
        PATH: process.env.PATH,
        HOOKLINE_ENV: 'test',
        HOOKLINE_LOG_LEVEL: 'silent',
        HOOKLINE_HOST: '127.0.0.1',
        ...env,
      },
      execArgv: [],
      stdio: 'ignore',
    },
  );
  running.push(child);
  const told: string[] = [];
  child.on('message', (message) => told.push(message as string));
  const get: Hosted['get'] = (name, path) =>
    fetch(`http://127.0.0.1:${ports[names.indexOf(name)]}${path}`).then(
      async (answer) => ({ status: answer.status, text: await answer.text() }),
      () => ({ status: undefined, text: '' }),
    );
  const hosted: Hosted = { child, told, exited: once(child, 'exit'), get };
  for (const name of names) await untilReady(hosted, name);
  return hosted;
}

const untilReady = ({ get }: Hosted, name: string): Promise<unknown> =>
  waitUntil(`${name} is ready`, async () => (await get(name, '/readyz')).status === 200);

const value = (metrics: string, name: string): number =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN);

test('one that fails is stopped in reverse and built anew alone, and the others answer all the while', async () => {
  const hosted = await host(['steady', 'frail']);
  hosted.told.length = 0;
  hosted.child.send('fail frail');
  const seen: unknown[] = [];
  await waitUntil('it is started again', async () => {
    seen.push((await hosted.get('steady', '/readyz')).status);
    return hosted.told.includes('start frail intake');
  });
  await untilReady(hosted, 'frail');
  expect(new Set(seen)).toEqual(new Set([200]));
  expect(hosted.told).toEqual(['stop frail intake', 'stop frail leaf', 'start frail leaf', 'start frail intake']);
  const [frail, steady] = [await hosted.get('frail', '/metrics'), await hosted.get('steady', '/metrics')];
  expect(value(frail.text, 'hookline_service_rebuilds_total')).toBe(1);
  expect(value(steady.text, 'hookline_service_rebuilds_total')).toBe(0);
  // As in a new process: nothing of the one before is left in them.
  expect(value(frail.text, 'hookline_starts_total')).toBe(2);
});

test('one that has to answer in time starts when the others have, which take the process’s time until then', async () => {
  const hosted = await host(['last', 'slow']);
  expect(hosted.told.filter((line) => line.startsWith('start'))).toEqual([
    'start slow leaf',
    'start slow intake',
    'start last leaf',
    'start last intake',
  ]);
  hosted.child.kill('SIGTERM');
  expect(await hosted.exited).toEqual([0, null]);
});

test('SIGTERM ends one that still waits for the others before it has begun', async () => {
  const waiting = fork(fixture, ['last=0', 'slow=0'], {
    env: { PATH: process.env.PATH, HOOKLINE_ENV: 'test', HOOKLINE_LOG_LEVEL: 'silent', HOOKLINE_HOST: '127.0.0.1' },
    execArgv: [],
    stdio: 'ignore',
  });
  running.push(waiting);
  const told: string[] = [];
  const loaded = Promise.withResolvers<void>();
  waiting.on('message', (message) => {
    told.push(message as string);
    if (message === 'start slow leaf') loaded.resolve();
  });
  await loaded.promise;
  waiting.kill('SIGTERM');
  expect(await once(waiting, 'exit')).toEqual([0, null]);
  expect(told.filter((line) => line.includes(' last '))).toEqual([]);
});

test('each admin port has the metrics of its service and those of the process, no name twice', async () => {
  const hosted = await host(['one', 'other']);
  for (const name of ['one', 'other']) {
    const { text } = await hosted.get(name, '/metrics');
    const described = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, metric]) => metric);
    expect(new Set(described).size).toBe(described.length);
    for (const metric of ['hookline_starts_total', 'hookline_event_loop_turns_total', 'process_cpu_seconds_total'])
      expect(described).toContain(metric);
    expect(value(text, 'hookline_starts_total')).toBe(2);
  }
});

test('SIGTERM makes all of them unready, stops each in its own order, and ends with 0', async () => {
  const hosted = await host(['one', 'other']);
  hosted.told.length = 0;
  hosted.child.kill('SIGTERM');
  expect(await hosted.exited).toEqual([0, null]);
  for (const name of ['one', 'other'])
    expect(hosted.told.filter((line) => line.includes(` ${name} `))).toEqual([
      `stop ${name} intake`,
      `stop ${name} leaf`,
    ]);
});

test('SIGTERM ends with 1 at the deadline where one of them does not stop', async () => {
  const hosted = await host(['one', 'other'], { HOOKLINE_SHUTDOWN_TIMEOUT_MS: '1000' });
  hosted.child.send('hold other');
  hosted.child.kill('SIGTERM');
  expect(await hosted.exited).toEqual([1, null]);
  expect(hosted.told).toContain('stop one leaf');
});

test('one that fails and does not stop ends the process: its remains would work beside its successor', async () => {
  const hosted = await host(['steady', 'stuck'], { HOOKLINE_SHUTDOWN_TIMEOUT_MS: '1000' });
  hosted.child.send('hold stuck');
  hosted.child.send('fail stuck');
  expect(await hosted.exited).toEqual([1, null]);
  expect(hosted.told).toContain('stop steady leaf');
});

test('one that is alone in its process is not built anew: it stops in order, and the process ends with 1', async () => {
  const hosted = await host(['alone']);
  hosted.told.length = 0;
  hosted.child.send('fail alone');
  expect(await hosted.exited).toEqual([1, null]);
  expect(hosted.told).toEqual(['stop alone intake', 'stop alone leaf']);
});
