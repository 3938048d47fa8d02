import { runHookline } from '../../support/run-hookline.ts';
import { adminKey } from '../../unit/api/build-test-app.ts';
import { fanOutFact, outcomeFact } from '../../unit/projector/facts.ts';
import { type BulkWorld, createBulkWorld, insertEvents } from '../api/bulk-world.ts';
import { project } from '../projector/projection.ts';
import { endDeliveries } from '../replay-store/end-deliveries.ts';
import { waitUntil } from '../../support/wait-until.ts';

let world: BulkWorld;
let env: Record<string, string>;
beforeAll(async () => {
  world = await createBulkWorld();
  env = { HOOKLINE_API_URL: await world.api.url(), HOOKLINE_ADMIN_KEY: adminKey };
});
afterAll(() => world.close());

const hookline = (...args: string[]) => runHookline(args, { env });

/** Does a dispatcher's work, one replay long. */
async function runNext(end: Parameters<typeof endDeliveries>[1] = 'delivered'): Promise<void> {
  const replay = await waitUntil('a replay', () => world.lease());
  await world.workOff(replay);
  await endDeliveries(world.postgres, end);
}

test('events are replayed by filter: counted first, then with progress', async () => {
  const endpointId = await world.as('default').endpoint();
  await insertEvents(world, 'default', 12);
  await insertEvents(world, 'default', 3, { from: 12, type: 'other' });
  const dry = await hookline('events', 'replay', '--type', 'order.paid', '--rate', '3', '--dry-run', '--json');
  expect(JSON.parse(dry.stdout)).toMatchObject({
    matched: 12,
    seconds: 4,
    by_endpoint: [{ endpoint_id: endpointId, deliveries: 12 }],
  });
  const [replayed] = await Promise.all([
    hookline('events', 'replay', '--type', 'order.paid', '--to', endpointId, '--limit', '10', '--yes', '--json'),
    runNext(),
  ]);
  expect(replayed.code).toBe(0);
  expect(JSON.parse(replayed.stdout)).toMatchObject({ status: 'partial', operation: 'replay_events', replayed: 10 });
  expect(replayed.stderr).toContain('0 failed');
});

test('deliveries are retried and cancelled by filter, or one by its id', async () => {
  const event = { tenant: 'default', eventId: 'evt_00000001' };
  await project(world.postgres, [
    fanOutFact(event, ['ep_a', 'ep_b']),
    outcomeFact(event, 'ep_a', 1, 'retrying'),
    outcomeFact(event, 'ep_b', 1, 'parked'),
  ]);
  const [retried] = await Promise.all([
    hookline('deliveries', 'retry', '--endpoint', 'ep_a', '--yes', '--json'),
    runNext(),
  ]);
  expect(JSON.parse(retried.stdout)).toMatchObject({ status: 'completed', operation: 'retry_deliveries', replayed: 1 });
  expect(retried.stderr).toMatch(/1 retried, 0 failed, 0 remaining; 1 delivered/);
  const [cancelled] = await Promise.all([hookline('deliveries', 'cancel', '--all', '--yes'), runNext('cancelled')]);
  expect([cancelled.code, cancelled.stderr]).toEqual([
    0,
    expect.stringMatching(/1 asked to be cancelled, 0 failed, 0 remaining; .*1 cancelled/),
  ]);
  expect(await hookline('deliveries', 'cancel', 'dlv_none')).toMatchObject({ code: 1 });
});

test('they want to know which, and without a terminal to be told yes', async () => {
  for (const verb of [
    ['events', 'replay'],
    ['deliveries', 'retry'],
    ['deliveries', 'cancel'],
  ]) {
    const stderrOf = async (...args: string[]): Promise<[number | null, string]> => {
      const { code, stderr } = await hookline(...verb, ...args);
      return [code, stderr];
    };
    expect(await stderrOf()).toEqual([2, expect.stringContaining('a filter, or --all')]);
    expect(await stderrOf('--all')).toEqual([2, expect.stringContaining('--yes')]);
    expect(await stderrOf('--all', '--yes', '--rate', 'fast')).toEqual([2, expect.stringContaining('--rate')]);
  }
  expect(await hookline('deliveries', 'retry', 'dlv_1', '--status', 'retrying')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('excludes') as string,
  });
});
