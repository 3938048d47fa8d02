import { createId } from '#lib/ids';
import { runHookline } from '../../support/run-hookline.ts';
import { adminKey } from '../../unit/api/build-test-app.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { endHookline, startHookline } from '../../unit/cli/start-hookline.ts';
import { eventFact, fanOutFact, outcomeFact, startAt } from '../../unit/projector/facts.ts';
import { openPollingApi, type PollingApi } from '../api/polling-api.ts';
import { project } from '../projector/projection.ts';

jest.setTimeout(120_000);

let api: PollingApi;
let env: Record<string, string>;
beforeAll(async () => {
  api = await openPollingApi();
  env = { HOOKLINE_API_URL: `http://127.0.0.1:${api.port}`, HOOKLINE_ADMIN_KEY: adminKey };
});
afterEach(endHookline);
afterAll(() => api?.close());

const newEventId = (): string => createId('evt', startAt / 1_000);

/** A new event of the tenant. */
async function receive(tenant: string, type = 'order.paid'): Promise<string> {
  const eventId = newEventId();
  await project(api.postgres, [eventFact({ tenant, eventId }, { type })]);
  return eventId;
}

const run = (...args: string[]) => runHookline(args, { env });

async function ask<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
}

test('events are listed by what they are, and shown with their payload', async () => {
  const [paid, shipped] = [await receive('list'), await receive('list', 'order.shipped')];
  const list = (...args: string[]) => ask<{ id: string }[]>('events', 'list', '--tenant', 'list', ...args);
  expect((await list()).map(({ id }) => id)).toEqual([paid, shipped]);
  expect((await list('--limit', '1')).map(({ id }) => id)).toEqual([paid]);
  expect((await list('--type', 'order.shipped')).map(({ id }) => id)).toEqual([shipped]);
  expect((await list('--receipt', `rcp_${paid}`)).map(({ id }) => id)).toEqual([paid]);
  expect(await list('--status', 'completed')).toEqual([]);
  expect(await list('--since', '2100-01-01T00:00:00Z')).toEqual([]);
  expect((await run('events', 'list', '--tenant', 'list')).stdout).toMatch(
    /^updated_at +id +type +status +deliveries\n\S+Z +evt_\S+ +order\.paid +received\n/,
  );
  expect(await ask('events', 'show', paid, '--tenant', 'list')).toMatchObject({ id: paid, payload: { id: paid } });
});

test('a tail prints every change of every event once, whatever is written meanwhile', async () => {
  const before = await receive('tail');
  const tail = startHookline(['events', 'tail', '--tenant', 'tail', '--since', '1h', '--json'], env);
  await tail.line(before);
  const changed = Array.from({ length: 30 }, newEventId);
  await Promise.all(
    changed.map(async (eventId) => {
      const named = { tenant: 'tail', eventId };
      await project(api.postgres, [eventFact(named)]);
      await project(api.postgres, [fanOutFact(named, ['ep_a'])]);
      await project(api.postgres, [outcomeFact(named, 'ep_a', 1, 'delivered')]);
    }),
  );
  await Promise.all(changed.map((eventId) => tail.line(new RegExp(`"${eventId}".*"status":"completed"`))));
  const seen = tail.lines().map((line) => JSON.parse(line) as { id: string; updated_at: string });
  const times = seen.map(({ updated_at }) => updated_at);
  expect(times).toEqual([...new Set(times)].sort());
  expect(new Set(seen.map(({ id }) => id))).toEqual(new Set([before, ...changed]));
});

test.each(['now', 'empty'])('a tail without a time begins at now, in a tenant that is %s', async (tenant) => {
  const old = tenant === 'empty' ? 'no event' : await receive(tenant);
  const tail = startHookline(['events', 'tail', '--tenant', tenant, '--count', '1'], env);
  await waitUntil('it waits', async () => (await api.waiting()) > 0, { timeoutMs: 30_000 });
  const added = await receive(tenant);
  expect(await tail.ended).toBe(0);
  expect(tail.lines()).toEqual([expect.stringContaining(added)]);
  expect(tail.lines().join()).not.toContain(old);
});
