/** A tenant is deleted beside the running pipeline: deliveries open, a replay running, webhooks and duplicates coming. */
import { randomUUID } from 'node:crypto';
import { groupOf } from '#lib/contract';
import { tenantTableNames, tenantTables } from '#lib/erasure';
import { areReadToTheEnd } from '../../faults/support/are-read-to-the-end.ts';
import { connectKafkaOffsets } from '../../support/kafka-offsets.ts';
import { serverAddresses } from '../../support/servers.ts';
import { signAsHookline } from '../../support/sign-webhook.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createWorld, type World } from '../dispatcher/world.ts';
import {
  encryptionKey,
  type Ingress,
  insertSource,
  startIngress,
  type TestSource,
} from '../ingress/ingress-process.ts';
import { startApi } from './api-process.ts';
import { columnsWith, redisKeysWith } from './find-marker.ts';
const webhooks = 3;
const projected = ['events', 'delivery.attempts', 'duplicates', 'dead-letters'] as const;

let world: World;
let ingress: Ingress;
beforeAll(async () => {
  world = await createWorld('delete-tenant', { encryptionKey });
  const { databaseUrl, topicPrefix } = world;
  ingress = await startIngress({ brokers: serverAddresses().kafkaBrokers, topicPrefix, databaseUrl });
});
afterAll(async () => {
  await ingress?.stop();
  await world?.stop();
});

interface Tenant {
  name: string;
  /** In all that its senders send. */
  marker: string;
  source: TestSource;
}

/** A tenant with an endpoint that takes everything, one that takes nothing, and one whose deliveries die at once. */
async function open(name: string): Promise<Tenant> {
  const tenant = {
    name,
    marker: `marker-${randomUUID()}`,
    source: await insertSource(world.postgres, { tenant: name }),
  };
  await world.addEndpoint(`${name} takes`, {}, { tenant: name });
  await world.addEndpoint(`${name} waits`, { retry: { base_seconds: 1, cap_seconds: 1 } }, { tenant: name });
  await world.addEndpoint(
    `${name} ordered`,
    { retry: { base_seconds: 1, cap_seconds: 1 }, ordered: true },
    { tenant: name },
  );
  await world.addEndpoint(`${name} dies`, { retry: { schedule: [], jitter: 0 } }, { tenant: name });
  return tenant;
}

async function send({ marker, source }: Tenant, number: number): Promise<number> {
  const body = Buffer.from(JSON.stringify({ id: `${marker}-${number}`, type: 'order.paid', marker }));
  return (await ingress.post(source.id, body, signAsHookline(source.secret, body, Math.floor(Date.now() / 1_000))))
    .status;
}

test('of a tenant that is deleted nothing is left or comes back, whatever is under way; another keeps all', async () => {
  const { postgres, receiver, topics } = world;
  receiver.react(({ name, body }) => ({
    status: name.endsWith('takes') ? 200 : 503,
    headers: { 'x-echo': String(/marker-[0-9a-f-]+/.exec(body.toString())?.[0]) },
  }));
  let projector = await world.startProjector();
  await world.startDedup();
  await world.startDispatcher();
  const [leaves, stays] = [await open('leaves'), await open('stays')];
  const api = await startApi(world);
  for (const tenant of [leaves, stays])
    for (let number = 0; number < webhooks; number += 1) expect(await send(tenant, number)).toBe(202);
  const statusesOf = async ({ name }: Tenant): Promise<string> => {
    const rows = await postgres.query<{ line: string }>(
      `SELECT status || ' ' || count(*) AS line FROM deliveries WHERE tenant = $1 AND status IN ('delivered', 'dead_lettered')
        GROUP BY status ORDER BY 1`,
      [name],
    );
    return rows.map(({ line }) => line).join(', ');
  };
  const standing = `dead_lettered ${webhooks}, delivered ${webhooks}`;
  for (const tenant of [leaves, stays]) {
    await waitUntil('all are sent', async () => (await statusesOf(tenant)) === standing);
    const letters = () => postgres.query('SELECT FROM dead_letters WHERE tenant = $1', [tenant.name]);
    await waitUntil('dead letters are there', async () => (await letters()).length === webhooks);
    const replay = { all: true, rate_per_second: 0.2 };
    expect((await api.ask('POST', '/dead-letters/replay', replay, tenant.name)).status).toBe(202);
  }
  expect(await columnsWith(postgres, leaves.marker)).not.toEqual([]);

  // The sender goes on, with what was there before and what was not.
  const answers: number[] = [];
  let isSending = true;
  const sending = (async () => {
    for (let number = 0; isSending; number += 1) {
      answers.push(await send(leaves, number % 2 === 0 ? 0 : webhooks + number));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  await waitUntil('duplicates come', () => answers.length > 3);
  const remove = () => api.ask('DELETE', `/tenants/${leaves.name}?confirm=${leaves.name}`);
  const begun = await remove();
  expect([begun.status, begun.text]).toEqual([202, begun.text]);
  for (const path of ['/events', '/deliveries', '/dead-letters', '/replays', '/audit', '/stats'])
    expect([path, (await api.ask('GET', path, undefined, leaves.name)).status]).toEqual([path, 410]);
  await waitUntil('the sender is told', () => answers.at(-1) === 410);
  await waitUntil('the deletion has completed', async () => (await remove()).json['status'] === 'completed');
  isSending = false;
  await sending;
  expect(new Set(answers)).toEqual(new Set([202, 410]));

  // Its open deliveries would have been sent again within a second.
  const arrivalsOf = ({ marker }: Tenant): number =>
    receiver.arrivals.filter(({ eventId }) => eventsOf.get(marker)?.has(eventId)).length;
  const ids = async ({ name }: Tenant): Promise<Set<string>> =>
    new Set(
      (await postgres.query<{ id: string }>('SELECT id FROM events WHERE tenant = $1', [name])).map(({ id }) => id),
    );
  const eventsOf = new Map([[stays.marker, await ids(stays)]]);
  const of = (more: number) => {
    const from = arrivalsOf(stays);
    return waitUntil('the other’s are sent on', () => arrivalsOf(stays) >= from + more);
  };
  const others = (): number => receiver.arrivals.length - arrivalsOf(stays);
  await of(4);
  const settled = others();
  await of(4);
  expect(others()).toBe(settled);

  const nothingIsLeft = async (): Promise<void> => {
    expect(await columnsWith(postgres, leaves.marker)).toEqual([]);
    expect(await redisKeysWith(serverAddresses().redisUrl, leaves.marker)).toEqual([]);
    for (const table of tenantTableNames.filter((name) => tenantTables[name as 'events'].deletion === 'removed'))
      expect([table, await postgres.query(`SELECT FROM ${table} WHERE tenant = $1 LIMIT 1`, [leaves.name])]).toEqual([
        table,
        [],
      ]);
  };
  await nothingIsLeft();

  // All of Kafka again.
  const offsets = await connectKafkaOffsets(serverAddresses().kafkaBrokers);
  try {
    await projector.stop();
    for (const topic of projected) await offsets.reset(groupOf(world.topicPrefix, 'projector'), topics[topic], 0);
    projector = await world.startProjector();
    const isRead = () =>
      areReadToTheEnd(
        offsets,
        world.topicPrefix,
        projected.map((topic) => ['projector', topic] as const),
      );
    await waitUntil('the projector has caught up', isRead);
  } finally {
    await offsets.close();
  }
  await nothingIsLeft();
  expect(Number((await remove()).json['dropped'])).toBeGreaterThan(webhooks);

  // The other has what it had, and what comes.
  expect(await statusesOf(stays)).toMatch(new RegExp(`delivered ${webhooks}$`));
  expect(await columnsWith(postgres, stays.marker)).not.toEqual([]);
  expect(await send(stays, webhooks)).toBe(202);
  await waitUntil('it is delivered', async () => (await statusesOf(stays)).endsWith(`delivered ${webhooks + 1}`));
  expect(world.failures).toEqual([]);
});
