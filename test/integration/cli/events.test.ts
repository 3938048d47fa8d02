import { dedupKeyOf } from '#lib/dedup-store';
import { createId } from '#lib/runtime';
import { runHookline } from '../../support/run-hookline.ts';
import { adminKey } from '../../unit/api/build-test-app.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { endHookline, spawnRunning, startHookline } from '../../unit/cli/start-hookline.ts';
import { eventFact, fanOutFact, outcomeFact, startAt } from '../../unit/projector/facts.ts';
import { openPollingApi, type PollingApi } from '../api/polling-api.ts';
import { project } from '../projector/projection.ts';

let api: PollingApi;
let env: Record<string, string>;
beforeAll(async () => {
  api = await openPollingApi();
  env = { HOOKLINE_API_URL: `http://127.0.0.1:${api.port}`, HOOKLINE_ADMIN_KEY: adminKey };
});
afterEach(endHookline);
afterAll(() => api?.close());

const newEventId = (laterMs = 0): string => createId('evt', startAt / 1_000 + laterMs);
const newReceipt = createId('rcp', startAt / 1_000);

/** A new event of the tenant. */
async function receive(tenant: string, type = 'order.paid', laterMs = 0): Promise<string> {
  const eventId = newEventId(laterMs);
  await project(api.postgres, [eventFact({ tenant, eventId }, { type, received_at: startAt + laterMs * 1_000 })]);
  return eventId;
}

const run = (...args: string[]) => runHookline(args, { env });

async function ask<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
}

test('events are listed by what they are, newest first, and shown with their payload', async () => {
  const paid = await receive('list');
  const shipped = await receive('list', 'order.shipped', 1);
  const list = async (...args: string[]) =>
    (await ask<{ id: string }[]>('events', 'list', '--tenant', 'list', ...args)).map(({ id }) => id);
  expect(await list()).toEqual([shipped, paid]);
  expect(await list('--limit', '1')).toEqual([shipped]);
  expect(await list('--type', 'order.shipped')).toEqual([shipped]);
  expect(await list('--receipt', `rcp_${paid}`)).toEqual([paid]);
  expect(await list('--since', '2026-01-01T00:00:00.001Z')).toEqual([shipped]);
  expect(await list('--until', '2026-01-01T00:00:00.001Z')).toEqual([paid]);
  expect(await list('--status', 'completed')).toEqual([]);
  expect(await list('--has', 'duplicates', '--has', 'changed')).toEqual([]);
  expect((await run('events', 'list', '--tenant', 'list')).stdout).toMatch(
    /^received_at +id +type +status +event_id +deliveries\n\S+Z +evt_\S+ +order\.shipped +received +their /,
  );
  expect(await ask('events', 'show', paid, '--tenant', 'list')).toMatchObject({ id: paid, payload: { id: paid } });
});

test('events are published with tags and found by them, and the request of a webhook is shown', async () => {
  const eventId = newEventId();
  const headers = [
    { name: 'X-A', value: 'a\u202e' },
    { name: 'Cookie', value: null },
  ];
  const request = { method: 'POST', path: '/v1/webhooks/src_1', client_address: '192.0.2.7', headers, truncated: true };
  await project(api.postgres, [eventFact({ tenant: 'tags', eventId }, { request, tags: { customer: 'cus_1' } })]);
  const published = await ask<{ id: string }>(
    ...['events', 'publish', '--tenant', 'tags', '--type', 'order.paid', '--tag', 'customer:cus_1', '--tag', 'url:a:b'],
  );

  const list = (...args: string[]) => ask<{ id: string }[]>('events', 'list', '--tenant', 'tags', ...args);
  expect((await list('--tag', 'customer:cus_1')).map(({ id }) => id)).toEqual([published.id, eventId]);
  expect((await list('--tag', 'customer:cus_1', '--tag', 'url:a:b')).map(({ id }) => id)).toEqual([published.id]);
  expect(await run('events', 'publish', '--type', 'a', '--tag', 'b')).toMatchObject({ code: 2 });
  expect((await run('events', 'request', eventId, '--tenant', 'tags')).stdout).toBe(
    'from 192.0.2.7\nPOST /v1/webhooks/src_1\nX-A: a?\nCookie: ***\n(the rest was not kept)\n',
  );
  expect((await run('events', 'request', published.id, '--tenant', 'tags')).stdout).toMatch(/^unknown: /);

  const tail = spawnRunning(['events', 'tail', '--tenant', 'tags', '--since', '1h', '--tag', 'url:a:b', '--json'], env);
  await tail.line(published.id);
  expect(tail.lines()).toHaveLength(1);
});

test('an event is found by what a sender, a response or a trace names it', async () => {
  const tenant = 'find';
  const dedup_key = dedupKeyOf(tenant, 'api', { kind: 'text', text: 'theirs' });
  const eventId = newEventId();
  const fact = eventFact(
    { tenant, eventId },
    { source_id: 'api', event_id: 'theirs', dedup_key, receipt_id: newReceipt },
  );
  await project(api.postgres, [{ ...fact, traceparent: `00-${'7'.repeat(32)}-${'2'.repeat(16)}-01` }]);
  for (const identifier of ['theirs', newReceipt, '7'.repeat(32)])
    expect(await ask('events', 'find', identifier, '--tenant', tenant)).toMatchObject([{ id: eventId }]);
  expect(await run('events', 'find', 'none', '--tenant', tenant)).toMatchObject({ code: 1, stdout: 'no such event\n' });
});

test('deliveries are listed with the outcome of their last attempt', async () => {
  const tenant = 'deliveries';
  const eventId = newEventId();
  await project(api.postgres, [
    eventFact({ tenant, eventId }),
    fanOutFact({ tenant, eventId }, ['ep_a', 'ep_b']),
    outcomeFact({ tenant, eventId }, 'ep_a', 1, 'retrying'),
  ]);
  const list = (...args: string[]) => ask<object[]>('deliveries', 'list', '--tenant', tenant, ...args);
  expect(await list()).toHaveLength(2);
  const failing = [{ endpoint_id: 'ep_a', last_outcome: 'http_5xx', last_http_status: 500 }];
  expect(await list('--http-status', '500', '--since', '2026-01-01T00:00:00Z')).toMatchObject(failing);
  expect(await list('--outcome', 'http_5xx', '--endpoint', 'ep_a', '--type', 'order.paid')).toMatchObject(failing);
  expect(await list('--status', 'pending')).toMatchObject([{ endpoint_id: 'ep_b', last_outcome: null }]);
});

test('a tail prints every change of every event once, whatever is written meanwhile', async () => {
  const before = await receive('tail');
  const tail = spawnRunning(['events', 'tail', '--tenant', 'tail', '--since', '1h', '--json'], env);
  await tail.line(before);
  const changed = Array.from({ length: 30 }, () => newEventId());
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
  await waitUntil('it waits', async () => (await api.waiting()) > 0);
  const added = await receive(tenant);
  expect(await tail.ended).toBe(0);
  expect(tail.lines()).toEqual([expect.stringContaining(added)]);
  expect(tail.lines().join()).not.toContain(old);
});
