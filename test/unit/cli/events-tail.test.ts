import { formatMicros } from '#lib/runtime';
import { runHookline } from '../../support/run-hookline.ts';
import { type Answered, startFakeApi } from './fake-api.ts';
import { endHookline, spawnRunning } from './start-hookline.ts';
afterEach(endHookline);

const start = Date.UTC(2026, 0, 1) * 1_000;
const eventAt = (micros: number) => ({
  id: `evt_${micros}`,
  type: 'order.paid',
  status: 'processing',
  updated_at: formatMicros(start + micros),
  deliveries: { pending: 1, retrying: 0, delivered: 2, dead_lettered: 0, cancelled: 0 },
});

/** A page of events, and where the next one begins. */
const page = (cursor: string, ...micros: number[]): Answered => ({
  status: 200,
  body: micros.map(eventAt),
  headers: { 'hookline-cursor': cursor },
});

test('goes on from each cursor, held or not, and ends after --count', async () => {
  const answers: Answered[] = [
    page('c1', 1, 2),
    { status: 204, headers: { 'hookline-cursor': 'c2' } },
    page('c3', 5, 6),
  ];
  const api = await startFakeApi((_asked, index) => answers[index] ?? { status: 500 });
  const args = ['events', 'tail', '--since', '2026-01-01T00:00:00Z', '--count', '3'];
  const ran = await runHookline([...args, '--status', 'processing', '--tenant', 'acme'], { env: api.env });
  await api.stop();
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout.split('\n')).toEqual([
    '2026-01-01T00:00:00.000001Z  evt_1  order.paid  processing  1 pending, 2 delivered',
    '2026-01-01T00:00:00.000002Z  evt_2  order.paid  processing  1 pending, 2 delivered',
    '2026-01-01T00:00:00.000005Z  evt_5  order.paid  processing  1 pending, 2 delivered',
    '',
  ]);
  expect(api.asked.map(({ path }) => path)).toEqual([
    '/v1/events?status=processing&updated_at_gte=2026-01-01T00%3A00%3A00Z&limit=1000',
    '/v1/events?status=processing&cursor=c1&wait=20&limit=1000',
    '/v1/events?status=processing&cursor=c2&wait=20&limit=1000',
  ]);
  expect(api.asked.every(({ headers }) => headers['hookline-tenant'] === 'acme')).toBe(true);
});

test('an API that is busy is asked the same again after what it asks for, and nothing is missed', async () => {
  const answers: Answered[] = [
    page('c1', 1),
    { status: 429, headers: { 'retry-after': '1' } },
    { status: 503 },
    { status: 504 },
    page('c2', 2),
  ];
  const api = await startFakeApi((_asked, index) => answers[index] ?? { status: 500 });
  const ran = await runHookline(['events', 'tail', '--since', '1h', '--count', '2', '--json'], { env: api.env });
  await api.stop();
  expect(ran.code).toBe(0);
  expect(
    ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toEqual([eventAt(1), eventAt(2)]);
  expect(ran.stderr).toMatch(
    /^answered 429; again in 1\.\d s\nanswered 503; again in \d\.\d s\nanswered 504; again in \d\.\d s\n$/,
  );
  expect(new Set(api.asked.slice(1).map(({ path }) => path)).size).toBe(1);
});

test('what the API refuses ends it, and so does an address where none is', async () => {
  const api = await startFakeApi(() => ({ status: 401, body: { title: 'No key', status: 401, code: 'unauthorized' } }));
  expect(await runHookline(['events', 'tail'], { env: api.env })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^hookline: No key \(401 unauthorized\)\nHOOKLINE_ADMIN_KEY is not a key/) as string,
  });
  await api.stop();
  const away = await runHookline(['events', 'tail'], { env: api.env });
  expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining('does not answer: ') as string });
});

test('goes on until it is told to end', async () => {
  const api = await startFakeApi((_asked, index) => (index === 1 ? page('c', 1) : page('c')));
  const tail = spawnRunning(['events', 'tail'], api.env);
  expect(await tail.line('evt_1')).toContain('order.paid');
  tail.signal('SIGINT');
  expect(await tail.ended).toBe('SIGINT');
  await api.stop();
});
