/** The dispatcher as a process, killed at each of its crash points: what it had in hand is repeated, and nothing is lost. */
import type { CrashPointName } from '#lib/runtime';
import { connectKafkaOffsets } from '../../support/kafka-offsets.ts';
import { serverAddresses } from '../../support/servers.ts';
import { waitUntil, within } from '../../support/wait-until.ts';
import { createWorld, type DeliveryRow, type TestEndpoint, type World } from './world.ts';

const events = 20;
/** With three endpoints each set comes in two. */
const chunks = { HOOKLINE_DISPATCHER_SET_CHUNK: '2' };
const retry = { base_seconds: 0.1, cap_seconds: 0.1 };
// The first attempts, two retries of the flaky endpoint, one of the dead one.
const sendsWithoutCrash = 3 * events + 2 * events + events;

async function killAndRecover(world: World, point: CrashPointName, turn: number): Promise<void> {
  await world.startProjector();
  const healthy = await world.addEndpoint('healthy');
  const flaky = await world.addEndpoint('flaky', { retry });
  const dead = await world.addEndpoint('dead', { retry: { ...retry, max_attempts: 2 } });
  world.receiver.react(({ name, attempt }) => {
    if (name === 'dead') return { status: 500 };
    return { status: name === 'flaky' && attempt < 3 ? 500 : 200 };
  });
  const published = await world.publish(events);

  await dieAt(world, point, turn);
  const ends = await endsByNow(world, turn);
  await world.spawnService('dispatcher', chunks);

  const ended = await world.ended(3 * events);
  expect(ended).toHaveLength(3 * events);
  const ids = new Set(published.map(({ id }) => id));
  for (const endpoint of [healthy, flaky]) {
    const statuses = ended.filter(({ endpoint_id }) => endpoint_id === endpoint.id).map(({ status }) => status);
    expect(statuses).toEqual(Array<string>(events).fill('delivered'));
    expect(new Set(world.arrivalsOf(endpoint).map(({ eventId }) => eventId))).toEqual(ids);
  }
  const ofDead = ended.filter(({ endpoint_id }) => endpoint_id === dead.id).map(({ status }) => status);
  expect(ofDead).toEqual(Array<string>(events).fill('dead_lettered'));
  // They are on a topic of their own, which the projector may read later than the outcomes.
  const origins = () => world.postgres.query('SELECT DISTINCT origin FROM dead_letters');
  await waitUntil('all dead letters are known', async () => ((await origins()).length >= events ? true : undefined));
  expect(await origins()).toHaveLength(events);
  for (const [delivery, arrivals] of ends) expect(arrivalsOf(world, delivery)).toBe(arrivals);
  // Sends in flight are repeated, at the most once each; later ones are not.
  expect(world.receiver.arrivals.length).toBeLessThanOrEqual(sendsWithoutCrash + 3 * events);
  expect(world.failures).toEqual([]);
}

async function dieAt(world: World, point: CrashPointName, turn: number): Promise<void> {
  const armed = await world.spawnService('dispatcher', { ...chunks, HOOKLINE_CRASH_POINT: `${point}@${turn}` });
  const exit = await within('the process dies', 40_000, armed.exited);
  expect(exit).toMatchObject({ signal: 'SIGKILL', killedByTest: false });
}

/** Deliveries that the tables have as delivered, with their arrivals: the next process has to look them up. */
async function endsByNow(world: World, turn: number): Promise<Map<DeliveryRow, number>> {
  const find = async () => (await world.deliveries()).filter(({ status }) => status === 'delivered');
  // More outcomes than the two failing endpoints have first attempts: one of them at least is a delivery.
  const hasEnds = turn > 2 * events;
  const delivered = hasEnds
    ? await waitUntil('some are delivered', async () => ((await find()).length > 0 ? find() : undefined))
    : await find();
  return new Map(delivered.map((delivery) => [delivery, arrivalsOf(world, delivery)]));
}

const arrivalsOf = (world: World, { event_id, endpoint_id }: DeliveryRow): number =>
  world.receiver.arrivals.filter(({ eventId, endpointId }) => eventId === event_id && endpointId === endpoint_id)
    .length;

describe('a dispatcher that is killed', () => {
  // Each waits out the dead member's session: several at a time take no longer.
  it.concurrent.each<[CrashPointName, number]>([
    ['fan-out.before-set', 1],
    ['fan-out.between-chunks', 1],
    ['fan-out.after-set', 1],
    ['fan-out.after-deliveries', 1],
    ['dispatcher.before-send', 7],
    ['dispatcher.after-send', 7],
    ['dispatcher.after-dead-letter', 3],
    ['dispatcher.after-outcome', 7],
    // Past the first attempts: in the middle of the retries.
    ['dispatcher.after-outcome', 70],
    ['dispatcher.before-commit', 45],
  ])('at %s (%i) loses nothing', async (point, turn) => {
    const world = await createWorld('crashes');
    try {
      await killAndRecover(world, point, turn);
    } finally {
      await world.stop();
    }
  });

  it('leaves a row of a delivery that its successor has from its record, and ends: it is not sent again from the row', async () => {
    const world = await createWorld('crashes');
    const offsets = await connectKafkaOffsets(serverAddresses().kafkaBrokers);
    const topic = world.topics['delivery.attempts'];
    const outcomes = async () => Object.values(await offsets.ends([topic])).reduce((sum, end) => sum + end, 0);
    const isWaiting = ({ id }: TestEndpoint) =>
      world.postgres.query('SELECT FROM waiting WHERE endpoint_id = $1', [id]).then((rows) => rows.length === 1);
    const takenBySuccessor = Promise.withResolvers<void>();
    try {
      const left = await world.addEndpoint('left', { retry }, { sourceIds: ['src_1'] });
      const inHours = { base_seconds: 43_200, cap_seconds: 43_200 };
      const later = await world.addEndpoint('later', { retry: inHours }, { sourceIds: ['src_2'] });
      world.receiver.react(() => ({ status: 500 }));
      await world.publish(1);
      await dieAt(world, 'dispatcher.after-outcome', 1);
      world.receiver.react(({ name }) =>
        name === 'left' ? { status: 200, until: takenBySuccessor.promise } : { status: 500 },
      );

      // The tables do not know the outcome of the dead one when the successor asks, and have its row when the successor has sent.
      await world.startDispatcher();
      await waitUntil('the successor sends from the record', () => world.arrivalsOf(left).length === 2);
      await world.publish(1, undefined, 'src_2');
      const { stop: stopProjector } = await world.startProjector();
      await waitUntil('both have rows', async () => (await isWaiting(left)) && isWaiting(later));
      await stopProjector();
      const before = await outcomes();
      takenBySuccessor.resolve();
      await waitUntil('the end is on its topic', async () => (await outcomes()) > before);

      // Both rows are due then, and the one that was left is the older.
      world.receiver.react(() => ({ status: 200 }));
      await world.postgres.query('UPDATE waiting SET due_at = clock_timestamp() WHERE endpoint_id = $1', [later.id]);
      await waitUntil('the other row has been read', () => world.arrivalsOf(later).length === 2);
      await world.startProjector();
      const ended = await world.ended(2);
      expect(ended.map(({ status }) => status)).toEqual(['delivered', 'delivered']);
      expect(world.arrivalsOf(left).map(({ answered }) => answered)).toEqual([500, 200]);
      expect(await world.postgres.query('SELECT FROM waiting')).toEqual([]);
      expect(world.failures).toEqual([]);
    } finally {
      takenBySuccessor.resolve();
      await world.stop();
      await offsets.close();
    }
  });
});
