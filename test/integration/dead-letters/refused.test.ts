import { hash } from 'node:crypto';
import type { ConfigResourceTypes } from 'kafkajs';
import { header } from '#lib/contract';
import { createDeadLetterReplay } from '#lib/replay-store';
import { createId, silentLogger } from '#lib/runtime';
import { createClient } from '../../../libs/kafka/client.ts';
import { findDeadLetter, listDeadLetters } from '../../../services/api/dead-letters/queries.ts';
import { seriesOf } from '../../support/series.ts';
import { serverAddresses } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createWorld, type World } from '../dispatcher/world.ts';

// Records that are given up while Kafka refuses their dead letters.

const tenant = 'acme';
const topicResource: ConfigResourceTypes = 2;
let world: World;

beforeAll(async () => {
  world = await createWorld('refused-letters', { partitions: 1 });
});
afterAll(() => world.stop());

/** Sets the size of a record that the dead-letter topic takes from now on. */
async function limitDeadLetters(maxBytes: number): Promise<void> {
  const admin = createClient({ brokers: serverAddresses().kafkaBrokers, clientId: 'test', log: silentLogger }).admin();
  await admin.connect();
  const configEntries = [{ name: 'max.message.bytes', value: String(maxBytes) }];
  const resource = { type: topicResource, name: world.topics['dead-letters'], configEntries };
  await admin.alterConfigs({ validateOnly: false, resources: [resource] });
  await admin.disconnect();
}

const topicOfStage = {
  dedup: 'webhooks.received',
  'fan-out': 'events',
  projector: 'events',
  dispatcher: 'deliveries',
} as const;
type Stage = keyof typeof topicOfStage;
const stages = Object.keys(topicOfStage) as Stage[];

/** A record that no stage can read, on each topic: what it holds is not what its readers take. */
async function writeUnreadable(value: Buffer): Promise<void> {
  for (const topic of new Set(Object.values(topicOfStage)))
    await world.producer.send({ topic: world.topics[topic], key: 'k', value, headers: { [header.tenant]: tenant } });
}

const deadLetters = () => listDeadLetters(world.postgres, tenant, {}, { after: null, limit: 100 });

async function deadLettersOfAllStages(
  count: number,
): Promise<Map<Stage, Awaited<ReturnType<typeof deadLetters>>[number]>> {
  let found = await deadLetters();
  await waitUntil(
    `each of ${stages.length} stages has ${count}`,
    async () => {
      if (world.failures[0] !== undefined) throw world.failures[0];
      found = await deadLetters();
      return found.length === count * stages.length;
    },
    { describe: () => JSON.stringify(found) },
  );
  // The newest of each: ids sort by their time.
  return new Map(
    stages.map((stage) => [
      stage,
      found.filter((deadLetter) => deadLetter.stage === stage)[0] as (typeof found)[number],
    ]),
  );
}

async function replay(id: string): Promise<Record<string, string>> {
  const replayId = createId('rpl', Date.now());
  const given = { tenant, id: replayId, request: {}, ratePerSecond: null, createdAt: new Date().toISOString() };
  await world.postgres.transaction((tx) => createDeadLetterReplay(tx, { ...given, filter: { ids: [id] }, limit: 10 }));
  return waitUntil('the replay has ended', async () => {
    const [row] = await world.postgres.query<{ status: string; reason: string | null; replay: string }>(
      `SELECT i.status, i.reason, r.status AS replay FROM replays r JOIN replay_items i ON i.tenant = r.tenant AND i.replay_id = r.id
          WHERE r.tenant = $1 AND r.id = $2`,
      [tenant, replayId],
    );
    return row?.replay === 'completed' && { status: row.status, reason: row.reason ?? '' };
  });
}

test('a dead letter that Kafka refuses is shortened, or kept in Postgres; its stage goes on, and nothing is lost', async () => {
  const services = [await world.startDedup(), await world.startDispatcher(), await world.startProjector()];
  const kept = async (as: string): Promise<number> => {
    const counts = await Promise.all(
      services.map(({ metrics }) => seriesOf(metrics, 'hookline_dead_letters_kept_total')),
    );
    return counts.reduce((sum, series) => sum + (series[`as="${as}"`] ?? 0), 0);
  };
  // A group that rebalances reads its last records again.
  const atLeast = async (as: string, count: number): Promise<void> =>
    expect(await kept(as)).toBeGreaterThanOrEqual(count);
  const large = Buffer.alloc(200_000, 'not what it should be ');

  await limitDeadLetters(20_000);
  await writeUnreadable(large);
  const shortened = await deadLettersOfAllStages(1);
  for (const stage of stages) {
    const deadLetter = shortened.get(stage);
    expect(deadLetter).toMatchObject({
      stage,
      reason: 'malformed_record',
      shortened: true,
      original_bytes: large.length,
      original_sha256: hash('sha256', large, 'hex'),
    });
    const whole = await findDeadLetter(world.postgres, tenant, deadLetter?.id ?? '');
    expect(whole?.value?.length).toBeGreaterThan(5_000);
    expect(large.subarray(0, whole?.value?.length)).toEqual(whole?.value);
  }
  await atLeast('shortened', 4);
  expect(await kept('in_postgres')).toBe(0);

  // Less than a record batch takes that is empty.
  await limitDeadLetters(40);
  await writeUnreadable(large);
  const inPostgres = await deadLettersOfAllStages(2);
  for (const stage of stages) {
    const deadLetter = inPostgres.get(stage);
    expect(deadLetter).toMatchObject({ stage, reason: 'malformed_record', shortened: false, original_bytes: null });
    const whole = await findDeadLetter(world.postgres, tenant, deadLetter?.id ?? '');
    expect(whole?.value).toEqual(large);
    expect(whole?.key).toEqual(Buffer.from('k'));
  }
  await atLeast('in_postgres', 4);

  // A shortened record must not pass for the whole one; one that is kept whole goes back to where it came from, and dies there again.
  await limitDeadLetters(1_000_000);
  expect(await replay(shortened.get('dedup')?.id ?? '')).toEqual({ status: 'failed', reason: 'letter_shortened' });
  expect(await replay(inPostgres.get('dedup')?.id ?? '')).toEqual({ status: 'replayed', reason: '' });
  const again = await waitUntil('it has died again', async () =>
    (await deadLetters()).find(({ stage, generation }) => stage === 'dedup' && generation === 1),
  );
  expect((await findDeadLetter(world.postgres, tenant, again.id))?.value).toEqual(large);
  await atLeast('whole', 1);
});
