import { serverAddresses } from '../../support/servers.ts';
import { runHookline } from '../../support/run-hookline.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createWorld, type World } from '../dispatcher/world.ts';

interface WaitingRow {
  delivery_id: string;
  step: number;
}

let world: World;

beforeAll(async () => {
  world = await createWorld('rebuild');
  await world.startProjector();
});
afterAll(() => world?.stop());

const rows = () =>
  world.postgres.query<WaitingRow & Record<string, unknown>>('SELECT * FROM waiting ORDER BY delivery_id');

async function rebuild(...args: string[]) {
  const { kafkaBrokers, schemaRegistryUrl } = serverAddresses();
  const ran = await runHookline(['rebuild', 'waiting', '--json', ...args], {
    env: {
      HOOKLINE_KAFKA_BROKERS: kafkaBrokers.join(','),
      HOOKLINE_SCHEMA_REGISTRY_URL: schemaRegistryUrl,
      HOOKLINE_TOPIC_PREFIX: world.topicPrefix,
      HOOKLINE_DATABASE_URL: world.databaseUrl,
    },
  });
  expect(ran.stderr).toBe('');
  return { code: ran.code, ...(JSON.parse(ran.stdout) as { restored: number; waiting: number; deliveries: number }) };
}

test('deliveries that have lost their rows get them back, each is sent, and no other', async () => {
  const sick = await world.addEndpoint('sick', { retry: { schedule: [12, 12, 12], jitter: 0 } });
  const well = await world.addEndpoint('well');
  const first = await world.startDispatcher();
  world.receiver.react(({ name }) => ({ status: name === sick.name ? 500 : 200 }));
  await world.publish(6);
  await waitUntil('six wait and six are delivered', async () => {
    const delivered = (await world.deliveries()).filter(({ status }) => status === 'delivered').length;
    return delivered === 6 && (await rows()).length === 6;
  });
  await first.stop();
  // The projector may still be behind the last sends.
  await waitUntil('the tables are as the topic is', async () => {
    const before = JSON.stringify(await rows());
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return before === JSON.stringify(await rows());
  });

  const before = await rows();
  expect(before).toHaveLength(6);
  const [lost = '', rewound = '', unknown = '', older = ''] = before.map(({ delivery_id }) => delivery_id);
  await world.postgres.query('DELETE FROM waiting WHERE delivery_id = ANY ($1)', [[lost, rewound, unknown]]);
  // The state of a replica that is some transactions behind.
  await world.postgres.query(`UPDATE deliveries SET step = 0, attempts = 0, status = 'pending' WHERE id = $1`, [
    rewound,
  ]);
  await world.postgres.query('DELETE FROM deliveries WHERE id = $1', [unknown]);
  await world.postgres.query(
    'UPDATE waiting SET step = step - 1, due_at = due_at - interval $1 WHERE delivery_id = $2'
      .replace('$1', `'1 s'`)
      .replace('$2', '$1'),
    [older],
  );

  const tried = await rebuild('--dry-run');
  expect(tried).toMatchObject({ code: 0, restored: 4, waiting: 6, deliveries: 12 });
  expect(await rows()).toHaveLength(3);
  expect(await rebuild()).toMatchObject({ code: 0, restored: 4, without_event: 0 });
  expect(await rows()).toEqual(before);
  expect(await rebuild()).toMatchObject({ code: 0, restored: 0 });
  expect(await rows()).toEqual(before);

  world.receiver.react(() => ({ status: 200 }));
  const arrivedBefore = world.arrivalsOf(sick).length;
  const second = await world.startDispatcher();
  await world.ended(12);
  expect((await world.deliveries()).every(({ status }) => status === 'delivered')).toBe(true);
  expect(world.arrivalsOf(sick)).toHaveLength(arrivedBefore + 6);
  expect(world.arrivalsOf(well)).toHaveLength(6);

  await waitUntil('no row is left', async () => (await rows()).length === 0);
  expect(await rebuild()).toMatchObject({ code: 0, restored: 0, waiting: 0, deliveries: 12 });
  expect(await rows()).toEqual([]);
  await second.stop();
});

test('a row that waits for an event which the tables do not have is written, and told of', async () => {
  const sick = await world.addEndpoint('sick-too', { retry: { schedule: [60], jitter: 0 } }, { eventTypes: [] });
  const dispatcher = await world.startDispatcher();
  world.receiver.react(({ name }) => ({ status: name === sick.name ? 500 : 200 }));
  const [event] = await world.publish(1);
  await waitUntil('it waits', async () => (await rows()).length === 1);
  await dispatcher.stop();
  await world.postgres.query('DELETE FROM waiting');
  await world.postgres.query('DELETE FROM events WHERE id = $1', [event?.id]);
  expect(await rebuild('--since', '10m')).toMatchObject({ code: 1, restored: 1, without_event: 1 });
  expect(await rows()).toHaveLength(1);
});
