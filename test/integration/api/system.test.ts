/** `GET /v1/system`: what processes write of themselves, as the operator reads it. */
import { Registry } from 'prom-client';
import { consumerMetrics } from '#lib/kafka';
import { silentLogger, systemClock } from '#lib/runtime';
import { reportProcess } from '#lib/service-host';
import { dependencyMetrics, registerMetrics } from '#lib/telemetry';
import { waitUntil } from '../../support/wait-until.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

let api: OpenApi;
beforeEach(async () => {
  api = await openApi();
});
afterEach(() => api.close());

interface System {
  processes: { service: string; instance: string; status: string; dependencies: Record<string, boolean> | null }[];
  stages: { group: string; topic: string; partitions: number | null; records: number | null; seconds: number | null }[];
  dependencies: { name: string; up: boolean; down_for: string[] }[];
}
const read = async (): Promise<System> => (await api.ask({ path: '/v1/system' })).json<System>();

function newProcess(instance: string, { service = 'projector', isReady = true, redis = 1, lag = 5 } = {}) {
  const metrics = new Registry();
  const { up } = registerMetrics(dependencyMetrics, metrics);
  up.set({ dependency: 'postgres' }, 1);
  up.set({ dependency: 'redis' }, redis);
  const { lagRecords, lagSeconds } = registerMetrics(consumerMetrics, metrics);
  for (const partition of [0, 1]) {
    const labels = { group: 'hookline.projector', topic: 'hookline.events', partition };
    lagRecords.set(labels, lag);
    lagSeconds.set(labels, lag * (partition + 1));
  }
  const about = { service, instance, version: '1.2.3', startedAtMs: Date.now(), isReady: () => isReady };
  const [part] = reportProcess({ about, metrics, clock: systemClock, log: silentLogger }, api.postgres);
  if (part === undefined) throw new Error('a hosted service is reported');
  return part;
}

const isThere = (instance: string) =>
  waitUntil(`${instance} is there`, async () => (await read()).processes.some((each) => each.instance === instance));

test('shows each process, the lag of each stage over all of them, and who misses a dependency', async () => {
  const parts = [
    newProcess('a'),
    newProcess('b', { redis: 0, lag: 7 }),
    newProcess('c', { service: 'api', isReady: false }),
  ];
  for (const part of parts) await part.start();
  for (const instance of ['a', 'b', 'c']) await isThere(instance);
  const { processes, stages, dependencies } = await read();
  expect(processes.map(({ instance, status }) => [instance, status])).toEqual([
    ['c', 'not_ready'],
    ['a', 'ready'],
    ['b', 'ready'],
  ]);
  expect(stages).toEqual([
    expect.objectContaining({ topic: 'hookline.events', partitions: 6, records: 34, seconds: 14 }),
  ]);
  expect(dependencies).toEqual([
    { name: 'postgres', up: true, down_for: [] },
    { name: 'redis', up: false, down_for: ['projector'] },
  ]);
  for (const part of parts) await part.stop();
  expect((await read()).processes).toEqual([]);
});

test('a process that was killed is silent, its lag unknown, and it is forgotten after ten minutes', async () => {
  const killed = newProcess('killed');
  await killed.start();
  await isThere('killed');
  await killed.stop();
  const insert = (age: string) =>
    api.postgres.query(
      `INSERT INTO processes (instance, service, host, pid, version, started_at, beat_at, ready, dependencies, lag)
       VALUES ($1, 'projector', 'h', 1, '1', now(), clock_timestamp() - $2::interval, true, '{"redis":true}',
               '[{"group":"g","topic":"t","partitions":1,"records":3,"seconds":4}]')`,
      [age, age],
    );
  await insert('1 minute');
  await insert('11 minutes');
  expect((await read()).stages).toEqual([
    expect.objectContaining({ group: 'g', partitions: null, records: null, seconds: null }),
  ]);
  const other = newProcess('other');
  await other.start();
  await isThere('other');
  expect(
    (await read()).processes.map(({ instance, status, dependencies }) => [instance, status, dependencies === null]),
  ).toEqual([
    ['1 minute', 'silent', true],
    ['other', 'ready', false],
  ]);
  await other.stop();
});
