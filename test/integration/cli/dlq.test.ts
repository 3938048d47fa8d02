import { createReplayWork } from '#lib/replay-store';
import { systemClock } from '#lib/runtime';
import { runHookline } from '../../support/run-hookline.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { adminKey } from '../../unit/api/build-test-app.ts';
import { type OpenApi, openApi } from '../api/api-over-database.ts';
import { killDeliveries } from '../replay-store/dead-deliveries.ts';
import { endDeliveries } from '../replay-store/end-deliveries.ts';

let api: OpenApi;
let env: Record<string, string>;
beforeAll(async () => {
  api = await openApi({ clock: systemClock });
  env = { HOOKLINE_API_URL: await api.url(), HOOKLINE_ADMIN_KEY: adminKey };
  await killDeliveries(api.postgres, 'default', ['evt_1', 'evt_2', 'evt_3'], ['ep_a', 'ep_b']);
});
afterAll(() => api.close());

const dlq = (...args: string[]) => runHookline(['dlq', ...args], { env });

/** Does a dispatcher's work, one replay long. */
async function sendNext(): Promise<void> {
  const work = createReplayWork(api.postgres);
  const replay = await waitUntil('a replay', async () => (await work.lease('test', 'bulk', 1))[0]);
  for (;;) {
    const taken = await work.take(replay, 10);
    if (taken === 'lost' || 'ended' in taken) return endDeliveries(api.postgres, 'delivered');
    await work.settle(
      replay,
      taken.items.map(({ item }) => ({ item, reason: item === 2 ? 'payload_expired' : null })),
    );
  }
}

test('dead letters are listed and shown', async () => {
  const listed = await dlq('list', '--endpoint', 'ep_a', '--json');
  const deadLetters = JSON.parse(listed.stdout) as { id: string }[];
  expect(deadLetters).toHaveLength(3);
  const lines = (await dlq('list', '--limit', '2')).stdout.trim().split('\n');
  expect([lines.length, lines[0]]).toEqual([3, expect.stringMatching(/^id +at +last +reason/)]);
  const shown = await dlq('show', deadLetters[0]?.id ?? '', '--json');
  expect(JSON.parse(shown.stdout)).toMatchObject({ ...deadLetters[0], key: 'ep_a' });
  expect((await dlq('list', '--since', '1h')).stdout).toBe('(none)\n');
});

test('a replay wants to know which, and without a terminal to be told yes', async () => {
  expect(await dlq('replay')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a filter, or --all') as string,
  });
  expect(await dlq('replay', '--all')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') as string });
  expect(await dlq('replay', '--all', '--yes', '--rate', 'fast')).toMatchObject({ code: 2 });
  expect(await dlq('replay', '--since', 'yesterday', '--yes')).toMatchObject({ code: 2 });
});

test('a dry run says what would go', async () => {
  const { code, stdout } = await dlq('replay', '--endpoint', 'ep_a', '--dry-run', '--json');
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ dry_run: true, matched: 3 })]);
});

test('a replay is followed to its end; what could not be sent is told by the exit code', async () => {
  const [ran] = await Promise.all([dlq('replay', '--endpoint', 'ep_a', '--rate', '50', '--yes', '--json'), sendNext()]);
  const replay = JSON.parse(ran.stdout) as { id: string };
  expect([ran.code, replay]).toEqual([
    1,
    expect.objectContaining({ status: 'completed', replayed: 2, failed: 1, failures: { payload_expired: 1 } }),
  ]);
  expect(ran.stderr).toMatch(/2 sent, 1 failed, 0 remaining; 2 delivered, 0 waiting, 0 dead-lettered\n$/);
  const shown = await dlq('show', replay.id);
  expect(shown.stdout).toMatch(/^status +completed$/m);
  const items = await dlq('items', replay.id, '--status', 'failed', '--json');
  expect(JSON.parse(items.stdout)).toEqual([
    expect.objectContaining({ item: 2, status: 'failed', reason: 'payload_expired', endpoint_id: 'ep_a' }),
  ]);
  expect((await dlq('items', replay.id)).stdout.trim().split('\n')).toHaveLength(4);
  expect(await dlq('cancel', replay.id)).toMatchObject({ code: 1, stderr: expect.stringContaining('409') as string });
});
