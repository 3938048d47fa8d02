/** Erasure beside the running pipeline: deliveries open, a replay running, duplicates coming, and all topics read again from their start. */
import { randomUUID } from 'node:crypto';
import { duplicateToJson, groupOf } from '#lib/contract';
import { areReadToTheEnd } from '../../faults/support/are-read-to-the-end.ts';
import { connectKafkaOffsets } from '../../support/kafka-offsets.ts';
import { serverAddresses } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createWorld, type World } from '../dispatcher/world.ts';
import { completed, startApi } from './api-process.ts';
import { columnsWith, redisKeysWith } from './find-marker.ts';
const retry = { base_seconds: 1, cap_seconds: 1 };
const projected = ['events', 'delivery.attempts', 'duplicates', 'dead-letters'] as const;

let world: World;
beforeAll(async () => {
  world = await createWorld('erase');
});
afterAll(() => world.stop());

test('of what is erased nothing is left or comes back, whatever is under way', async () => {
  const { postgres, receiver, topics } = world;
  const markers = Array.from({ length: 6 }, () => `marker-${randomUUID()}`);
  const [first = '', second = ''] = markers;
  let takes: readonly string[] = [];
  receiver.react(({ name, body }) => {
    const marker = markers.find((each) => body.includes(each)) ?? '';
    const isTaken = name === 'taken' || takes.includes(marker);
    return { status: isTaken ? 200 : 503, headers: { 'x-echo': marker } };
  });
  await world.addEndpoint('taken');
  const open = await world.addEndpoint('open', { retry });
  const ordered = await world.addEndpoint('ordered', { retry, ordered: true });
  await world.addEndpoint('dead', { retry: { schedule: [], jitter: 0 } });
  let projector = await world.startProjector();
  await world.startDispatcher();
  const api = await startApi(world);

  const ids: string[] = [];
  for (const [n, marker] of markers.entries()) {
    const body = { type: n < 3 ? 'one' : 'many', payload: { marker }, event_id: marker, ordering_key: 'k' };
    ids.push(String((await api.ask('POST', '/events', body)).json['id']));
  }
  const [eventId = ''] = ids;
  const standing = async (event: string): Promise<string> =>
    (
      await postgres.query<{ status: string }>('SELECT status FROM deliveries WHERE event_id = $1 ORDER BY status', [
        event,
      ])
    )
      .map(({ status }) => status)
      .join();
  await waitUntil(
    'all are sent as far as they can be',
    async () => {
      const all = await Promise.all(ids.map(standing));
      return all.every(
        (text) => text.includes('delivered') && text.includes('dead_lettered') && text.split(',').length === 4,
      );
    },
    { describe: () => 'deliveries' },
  );
  await waitUntil(
    'the dead letters are there',
    async () => (await postgres.query(`SELECT FROM dead_letters`)).length >= ids.length,
  );
  const replay = await api.ask('POST', '/dead-letters/replay', { all: true, rate_per_second: 0.2 });
  expect(replay.status).toBe(202);
  const { cursor } = await api.ask('GET', '/events?type=none');
  expect(await columnsWith(postgres, first)).not.toEqual([]);

  // One.
  const erased = await api.ask('DELETE', `/events/${eventId}`);
  expect([erased.status, erased.text]).toEqual([202, erased.text]);
  expect((await columnsWith(postgres, first)).filter((column) => !column.startsWith('replays'))).toEqual([]);
  expect(await api.ask('GET', `/events/${eventId}/payload`)).toMatchObject({ status: 410 });
  // The replay may have sent the dead one again by now: a delivery of its own, which may be dead already.
  expect(await standing(eventId)).toMatch(/^cancelled,cancelled(,(cancelled|dead_lettered)){1,2},delivered$/);
  const told = await api.ask('GET', `/events?type=none&cursor=${cursor}&wait=5`);
  expect(told.json).toEqual([expect.objectContaining({ id: eventId, status: 'erased' })]);
  const [row] = await postgres.query<{ dedup_key: Buffer }>('SELECT dedup_key FROM erased WHERE id = $1', [eventId]);
  for (const named of [eventId, null])
    await world.producer.send({
      topic: topics.duplicates,
      key: 'duplicate',
      headers: {},
      value: duplicateToJson({
        tenant: 'acme',
        source_id: 'api',
        receipt_id: `rcp_${named}`,
        origin: `late-${named}`,
        received_at: Date.now() * 1_000,
        dedup_key: row?.dedup_key.toString('hex') ?? '',
        event_id: named,
        event_id_end: eventId.slice(-2),
        body_hash: '00'.repeat(8),
        changed: true,
      }),
    });
  const sentBefore = receiver.arrivals.filter((arrival) => arrival.eventId === eventId).length;
  const receipt = await completed(api, erased.json['id']);
  const remains = receipt?.['kafka'] as { topic: string; kept_until: string }[];
  expect(remains.map(({ topic }) => topic).sort()).toEqual(Object.values(topics).sort());
  for (const { topic, kept_until } of remains) {
    const days = (Date.parse(kept_until) - Date.now()) / 86_400_000;
    expect([topic, days > (topic.endsWith('dead-letters') ? 30 : 7)]).toEqual([topic, true]);
  }
  // It was in the key's first place: the next one of the ordered endpoint has its turn.
  takes = [second];
  await waitUntil('the next event of the key is delivered', () =>
    receiver.arrivals.some(
      ({ endpointId, eventId: id, answered }) => endpointId === ordered.id && id === ids[1] && answered === 200,
    ),
  );

  // Many, by a process that is killed after each of its steps.
  const dry = await api.ask('POST', '/erasures', { filter: { type: 'many' }, dry_run: true });
  expect(dry.json).toMatchObject({ matched: 3 });
  await api.stop(10_000);
  const points = ['erasure.after-mark', 'erasure.after-removal', 'erasure.before-completion'];
  let bulk: unknown;
  for (const point of points) {
    const mortal = await startApi(world, { HOOKLINE_CRASH_POINT: point });
    if (bulk === undefined) {
      const body = { filter: { type: 'many' }, as_of: dry.json['as_of'] };
      bulk = (await mortal.ask('POST', '/erasures', body)).json['id'];
    }
    await mortal.exited;
    // The lease of the one that died.
    await postgres.query('UPDATE erasures SET lease_until = NULL');
  }
  const last = await startApi(world);
  expect(await completed(last, bulk)).toMatchObject({ events: 3 });

  // All of Kafka again.
  const isProjected = async (offsets: Awaited<ReturnType<typeof connectKafkaOffsets>>) =>
    areReadToTheEnd(
      offsets,
      world.topicPrefix,
      projected.map((topic) => ['projector', topic] as const),
    );
  const offsets = await connectKafkaOffsets(serverAddresses().kafkaBrokers);
  try {
    await projector.stop();
    for (const topic of projected) await offsets.reset(groupOf(world.topicPrefix, 'projector'), topics[topic], 0);
    projector = await world.startProjector();
    await waitUntil('the projector has caught up', () => isProjected(offsets));
  } finally {
    await offsets.close();
  }
  for (const marker of [first, ...markers.slice(3)]) {
    expect([marker, await columnsWith(postgres, marker)]).toEqual([marker, []]);
    expect(await redisKeysWith(serverAddresses().redisUrl, marker)).toEqual([]);
    for (const path of ['/events?limit=100', '/dead-letters', '/replays', `/events?event_id=${marker}`])
      expect((await last.ask('GET', path)).text).not.toContain(marker);
  }
  expect(await columnsWith(postgres, second)).not.toEqual([]);
  expect(receiver.arrivals.filter((arrival) => arrival.eventId === eventId)).toHaveLength(sentBefore);
  const statuses = await postgres.query<{ id: string }>(`SELECT id FROM events WHERE status = 'erased' ORDER BY id`);
  expect(statuses.map(({ id }) => id)).toEqual([eventId, ...ids.slice(3)].sort());
  expect(open.id).toMatch(/^ep_/);
  expect(world.failures).toEqual([]);
});
