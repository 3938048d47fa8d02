import { createDeliveryReplay } from '#lib/replay-store';
import { createId, formatMicros } from '#lib/runtime';
import { waitUntil } from '../../support/wait-until.ts';
import { killDeliveries, replayDeadLetters } from '../replay-store/dead-deliveries.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld('replay-lanes');
});
afterAll(() => world.stop());

const statusOf = async (id: string): Promise<string> => {
  const [row] = await world.postgres.query<{ status: string }>('SELECT status FROM replays WHERE id = $1', [id]);
  return row?.status ?? 'absent';
};
const eventIds = (tenant: string, n: number): string[] => Array.from({ length: n }, (_, i) => `evt_${tenant}_${i}`);

/** The request of an endpoint's test, or of the retry of one delivery. */
const sendOnce = (tenant: string, eventId: string, endpointId: string) =>
  world.postgres.transaction((tx) =>
    createDeliveryReplay(tx, {
      tenant,
      id: createId('rpl', Date.now()),
      request: {},
      ratePerSecond: null,
      createdAt: formatMicros(Date.now() * 1_000),
      eventId,
      endpointIds: [endpointId],
    }),
  );

it('replays that a tenant has go at 0.01 a second hold up nobody’s replays, tests and retries, nor its own tests', async () => {
  const slow: string[] = [];
  await killDeliveries(world.postgres, 'slow', eventIds('slow', 20), ['ep_slow']);
  for (let each = 0; each < 4; each += 1) {
    const replay = await replayDeadLetters(world.postgres, 'slow', {}, { limit: 5, ratePerSecond: 0.01 });
    expect(replay).toMatchObject({ matched: 5, status: 'running' });
    slow.push(replay.id);
  }
  const { id: endpointId } = await world.addEndpoint('healthy');
  await killDeliveries(world.postgres, 'acme', eventIds('acme', 10), [endpointId]);
  await world.startDispatcher();
  await waitUntil('the slow ones to begin', async () => {
    const [row] = await world.postgres.query<{ failed: number }>(`SELECT failed FROM replays WHERE id = $1`, [slow[0]]);
    return (row?.failed ?? 0) > 0;
  });

  const others = [
    await replayDeadLetters(world.postgres, 'acme'),
    await sendOnce('acme', 'evt_acme_0', endpointId),
    await sendOnce('slow', 'evt_slow_0', 'ep_slow'),
  ];
  for (const { id } of others)
    await waitUntil('all of it to be sent', async () => (await statusOf(id)) !== 'running', { timeoutMs: 30_000 });
  await waitUntil('their deliveries', async () => world.receiver.arrivals.length >= 11, { timeoutMs: 30_000 });
  expect(await Promise.all(slow.map(statusOf))).toEqual(slow.map(() => 'running'));
});
