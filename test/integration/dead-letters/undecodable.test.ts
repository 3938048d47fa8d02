import { gunzipSync } from 'node:zlib';
import { Kafka, logLevel } from 'kafkajs';
import { header, noTenant, type TopicName, topicNames } from '#lib/contract';
import { createDeadLetterReplay } from '#lib/replay-store';
import { createId } from '#lib/runtime';
import { batchRecord, encodeRecordBatch } from '../../../libs/kafka/codec/record-batch.ts';
import { deadLetterText, findDeadLetter, listDeadLetters } from '../../../services/api/dead-letters/queries.ts';
import { alterFetches, flipByte, recordsAt } from '../../support/altered-fetches.ts';
import { serverAddresses } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createWorld, type World } from '../dispatcher/world.ts';

// Batches that the services can't decode, on each of their topics.

/** Less than the bombs become, and more than all that the services write. */
const small = { HOOKLINE_CONSUMER_DECOMPRESSED_BYTES: '65536' };
const stagesOf: Readonly<Record<TopicName, readonly string[]>> = {
  'webhooks.received': ['dedup'],
  events: ['fan-out', 'projector'],
  deliveries: ['dispatcher'],
  'delivery.attempts': ['projector'],
  duplicates: ['projector'],
  'dead-letters': ['projector'],
};
const fetches = alterFetches();
let world: World;

beforeAll(async () => {
  world = await createWorld('undecodable', { partitions: 1 });
});
afterAll(async () => {
  fetches.restore();
  await world.stop();
});

const deadLetters = () =>
  listDeadLetters(world.postgres, noTenant, { reason: 'undecodable_batch' }, { after: null, limit: 100 });

async function replay(id: string): Promise<Record<string, string>> {
  const replayId = createId('rpl', Date.now());
  const given = {
    tenant: noTenant,
    id: replayId,
    request: {},
    ratePerSecond: null,
    createdAt: new Date().toISOString(),
  };
  await world.postgres.transaction((tx) => createDeadLetterReplay(tx, { ...given, filter: { ids: [id] }, limit: 10 }));
  return waitUntil('the replay has ended', async () => {
    const [row] = await world.postgres.query<{ status: string; reason: string | null; replay: string }>(
      `SELECT i.status, i.reason, r.status AS replay FROM replays r JOIN replay_items i ON i.tenant = r.tenant AND i.replay_id = r.id
        WHERE r.tenant = $1 AND r.id = $2`,
      [noTenant, replayId],
    );
    return row?.replay === 'completed' && { status: row.status, reason: row.reason ?? '' };
  });
}

/** A webhook as the ingress writes it. */
const webhook = (id: string, padding = '') => ({
  key: null,
  value: Buffer.from(JSON.stringify({ id, type: 'invoice.paid', padding })),
  headers: Object.entries({
    [header.tenant]: 'acme',
    [header.sourceId]: 'src_1',
    [header.receiptId]: `rcp_${id}`,
    [header.receivedAt]: String(Date.now() * 1_000),
    [header.contentType]: 'application/json',
    [header.identifyBy]: '[{"pointer":"/id"}]',
    [header.typeBy]: '[{"pointer":"/type"}]',
    [header.dedupTtlSeconds]: '259200',
  }),
});
type Webhook = ReturnType<typeof webhook>;

const gzip = 1;

/** In one batch. */
async function produce(topic: string, records: readonly Webhook[], compression = gzip): Promise<void> {
  const producer = new Kafka({ brokers: serverAddresses().kafkaBrokers, logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  const messages = records.map(({ key, value, headers }) => ({ key, value, headers: Object.fromEntries(headers) }));
  await producer.send({ topic, compression, messages });
  await producer.disconnect();
}

const acceptedIds = async (): Promise<string[]> => {
  const rows = await world.postgres.query<{ event_id: string }>(`SELECT event_id FROM events WHERE tenant = 'acme'`);
  return rows.map((row) => row.event_id).toSorted();
};

test('a bomb on each topic becomes a dead letter of each stage that reads it, and is replayed once it may be decoded', async () => {
  const bombs = [webhook('bomb-1', 'a'.repeat(70_000)), webhook('bomb-2', 'a'.repeat(70_000))];
  for (const name of topicNames) await produce(world.topics[name], bombs);
  await produce(world.topics['webhooks.received'], [webhook('after')]);
  const services = [
    await world.startDedup(small),
    await world.startDispatcher(small),
    await world.startProjector(small),
  ];

  const expected = topicNames.flatMap((name) => stagesOf[name].map((stage) => `${stage} ${world.topics[name]}-0-0..1`));
  const found = await waitUntil(
    'each stage has given its batches up',
    async () => {
      if (world.failures[0] !== undefined) throw world.failures[0];
      const letters = await deadLetters();
      return letters.length === expected.length && letters;
    },
    { describe: () => JSON.stringify(expected) },
  );
  expect(found.map(({ stage, origin }) => `${stage} ${origin}`).toSorted()).toEqual(expected.toSorted());
  await waitUntil('what follows is accepted', async () => (await acceptedIds()).join() === 'after');

  const letter = found.find(({ stage }) => stage === 'dedup');
  const whole = await findDeadLetter(world.postgres, noTenant, letter?.id ?? '');
  expect(JSON.parse(deadLetterText(whole as NonNullable<typeof whole>))).toMatchObject({
    reason: 'undecodable_batch',
    payload_encoding: 'base64',
    undecodable_batch: {
      topic: world.topics['webhooks.received'],
      partition: 0,
      compression: 'gzip',
      first_offset: '0',
      last_offset: '1',
      offsets: ['0', '1'],
      problem: 'the batch has more than 65536 bytes when it is decompressed',
    },
  });
  const records = gunzipSync((whole?.value ?? Buffer.alloc(0)).subarray(recordsAt)).toString('latin1');
  expect(records).toContain('bomb-2');

  expect(await replay(letter?.id ?? '')).toEqual({ status: 'failed', reason: 'batch_undecodable' });
  for (const service of services) await service.stop();
  // The mend.
  await world.startDedup();
  await world.startDispatcher();
  await world.startProjector();
  for (const { id } of found) expect(await replay(id)).toEqual({ status: 'replayed', reason: '' });
  await waitUntil('its webhooks are accepted', async () => (await acceptedIds()).join() === 'after,bomb-1,bomb-2');
});

test('a broken batch becomes a dead letter with its bytes, and is replayed from its topic once that has sound ones', async () => {
  const topic = world.topics['webhooks.received'];
  const records = [webhook('broken-1'), webhook('broken-2')];
  fetches.alter(encodeRecordBatch(records.map(batchRecord), 0).subarray(recordsAt), flipByte);
  const known = new Set((await deadLetters()).map(({ id }) => id));
  const send = ({ key, value, headers }: Webhook) =>
    world.producer.send({ topic, key, value, headers: Object.fromEntries(headers) });
  await Promise.all(records.map(send));
  await send(webhook('next'));

  await waitUntil('the next one is accepted', async () => (await acceptedIds()).includes('next'), {
    describe: () => JSON.stringify(world.failures.map(({ message, stack }) => [message, stack])),
  });
  const letter = await waitUntil('it is given up', async () => (await deadLetters()).find(({ id }) => !known.has(id)));
  expect(letter).toMatchObject({ stage: 'dedup', attempts: 2, shortened: false });
  expect(await replay(letter.id)).toEqual({ status: 'failed', reason: 'batch_undecodable' });
  fetches.mend();
  expect(await replay(letter.id)).toEqual({ status: 'replayed', reason: '' });
  await waitUntil('its webhooks are accepted', async () => {
    const ids = await acceptedIds();
    return ids.includes('broken-1') && ids.includes('broken-2');
  });
});
