/**
 * Writes records to every topic that has a reader: what is sound and what was made of it, in any order, on every partition. Then every reader
 * must come to the end of its topics, and each record to one of its own.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '#lib/clock';
import {
  type AvroAttempt,
  type DeadLetterStage,
  endpointSettlingMs,
  groupOf,
  header,
  readSchema,
  type TopicName,
  topicNames,
  topicsOf,
} from '#lib/contract';
import { createAvroCodec, createEventCodec } from '#lib/kafka';
import { silentLogger } from '#lib/log';
import { createApiClient } from '../../../support/api-client.ts';
import { connectKafkaOffsets, type KafkaOffsets } from '../../../support/kafka-offsets.ts';
import type { Pipeline } from '../../../support/pipeline.ts';
import type { Receiver } from '../../../support/receiver.ts';
import { seedOf, shuffled } from '../../../support/seeded-random.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { areReadToTheEnd } from '../../support/are-read-to-the-end.ts';
import type { Finding } from '../findings.ts';
import { createPools } from '../pools.ts';
import type { Tables } from '../tables.ts';
import { createBaseRecords } from './base-records.ts';
import { documentedReasons } from './documented-reasons.ts';
import { gatherEvidence, positionOf, textOf } from './evidence.ts';
import { forgeRecords } from './forge.ts';
import type { ForgedRecord, SentRecord } from './forged-record.ts';
import { judgeRecords, type TopicTally } from './judge-records.ts';
import { findReaders, type TopicReader } from './readers.ts';
import { connectSender } from './send.ts';
import { registerVersions } from './versions.ts';

export interface TopicsOptions {
  pipeline: Pipeline;
  tables: Tables;
  receiver: Receiver;
  seed: number;
  /** Records of each kind, on each topic. */
  records: number;
  /** `topic-partition-offset` of dead letters that the projector has logged. */
  unprojected: ReadonlySet<string>;
  /** Its member was taken for dead, on a machine that is busy elsewhere: what it had in hand comes again. */
  hasRejoined(group: string): boolean;
  drainTimeoutMs: number;
  say(line: string): void;
}

export interface TopicsResult {
  /** Empty where a reader did not come to the end of its topics. */
  topics: ReadonlyMap<TopicName, TopicTally>;
  readers: readonly TopicReader[];
  findings: Finding[];
}

const tenant = 'default';
const partitions = 3;
/** Sound ones among them: one of so many. */
const controlEvery = 6;
/** The delay between an event and the endpoint's first look at it. */
const commitMs = 1_000;
/** A machine that is busy elsewhere makes an attempt time out, and others with it: longer than the breaker then waits. */
const arrivalTimeoutMs = 90_000;

export async function fuzzTopics(options: TopicsOptions): Promise<TopicsResult> {
  const { stack } = options.pipeline;
  const common = { clock: systemClock, log: silentLogger, registryUrl: stack.schemaRegistryUrl };
  const topics = topicsOf(stack.topicPrefix);
  const events = createEventCodec({ ...common, topic: topics.events, schema: readSchema('events') });
  // Encodes and decodes also what no service writes.
  const attempts = createAvroCodec<AvroAttempt>({
    ...common,
    topic: topics['delivery.attempts'],
    schema: readSchema('delivery.attempts'),
  });
  await Promise.all([events.start(), attempts.start()]);
  const sender = await connectSender(stack.kafkaBrokers, topics);
  const versions = await registerVersions(stack);
  const offsets = await connectKafkaOffsets(stack.kafkaBrokers);
  try {
    const readers = await findReaders(stack);
    const endpointIds = await createEndpoints(options);
    const known = await receivedEvent(options);
    const codecs = { encodeEvent: events.encode, encodeAttempt: attempts.encode };
    const sent: SentRecord[] = [];
    for (const topic of topicNames.filter((name) => readers.some((reader) => reader.topic === name))) {
      const pools = createPools(seedOf(options.seed, topic));
      const base = createBaseRecords({ ...codecs, tenant, endpointIds, event: known, pick: pools.pick });
      const forged = forgeRecords(topic, options.records, { ...codecs, base, pools, versions });
      const controls: ForgedRecord[] = [];
      while (controls.length < forged.length / controlEvery)
        controls.push(base.control(topic, topic === 'deliveries' ? await publish(options, unwanted) : undefined));
      sent.push(...(await sender.send(spread([...forged, ...controls], pools.random))));
      options.say(`  ${topic}: ${forged.length} forged, ${controls.length} sound`);
    }
    const behind = await drained(options, readers, offsets);
    // A record that holds up the stages may hold up this process, too: after one that did not come to its end nothing more is read.
    if (behind.length > 0) return { topics: new Map(), readers, findings: behind };
    const evidence = await gatherEvidence({ stack, tables: options.tables, events, attempts });
    const { unprojected } = options;
    const mayRepeat = (stage: DeadLetterStage): boolean => options.hasRejoined(groupOf(stack.topicPrefix, stage));
    const judged = await judgeRecords({
      ...{ stack, records: sent, readers, evidence, unprojected, mayRepeat },
      reasons: documentedReasons(),
    });
    return {
      topics: judged.tally,
      readers,
      findings: [
        ...judged.findings,
        ...readers.flatMap(({ topic }) =>
          sent.some((record) => record.topic === topic) ? [] : [{ finding: 'topic-untouched' as const, says: topic }],
        ),
        ...(await miscounted(options, sent, known.id)),
        ...(await miscarried(options, sent)),
      ],
    };
  } finally {
    await Promise.all([sender.close(), versions.close(), offsets.close()]);
    await Promise.all([events.stop(), attempts.stop()]);
  }
}

/** In any order, and so that each partition has its part of everything. */
const spread = (records: readonly ForgedRecord[], random: () => number): (ForgedRecord & { partition: number })[] =>
  shuffled(records, random)
    .map((record, index) => ({ ...record, partition: index % partitions }))
    .sort((a, b) => a.partition - b.partition);

/** One that keeps an order, and one that does not. */
async function createEndpoints({ pipeline, receiver }: TopicsOptions): Promise<string[]> {
  const { apiUrl, adminKey } = pipeline.stack;
  const api = createApiClient({ url: apiUrl, adminKey });
  const made = await Promise.all(
    [false, true].map((ordered) =>
      api.createEndpoint({ url: receiver.url(`fuzzed ${ordered}`), ordered, event_types: ['fuzzed.*'] }),
    ),
  );
  await delay(endpointSettlingMs + commitMs);
  return made.map(({ id }) => id);
}

/** No endpoint asks for it. A delivery of it that found no room comes back from the tables with it all the same. */
const unwanted = { type: 'unwanted', payload: {} };

async function publish({ pipeline }: TopicsOptions, event: object): Promise<string> {
  const { apiUrl, adminKey } = pipeline.stack;
  const answer = await fetch(`${apiUrl}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(event),
  });
  if (!answer.ok) throw new Error(`/events → ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

/** One that came the usual way, of which there are to be duplicates. */
async function receivedEvent(options: TopicsOptions) {
  const { tables } = options;
  const id = await publish(options, { type: 'counted', payload: {}, event_id: 'counted' });
  const [row] = await tables.query<{ dedup_key: Buffer; source_id: string }>(
    'SELECT dedup_key, source_id FROM events WHERE tenant = $1 AND id = $2',
    [tenant, id],
  );
  if (row === undefined) throw new Error(`the event ${id} is not in the tables`);
  return { id, dedupKey: row.dedup_key.toString('hex'), sourceId: row.source_id };
}

/** Each record of one stage is one more of the next: they are looked at in the order of an event's way, until nothing moves any more. */
async function drained(
  { pipeline, drainTimeoutMs }: TopicsOptions,
  readers: readonly TopicReader[],
  offsets: KafkaOffsets,
): Promise<Finding[]> {
  const { topicPrefix } = pipeline.stack;
  const pairs = topicNames.flatMap((topic) =>
    readers.filter((reader) => reader.topic === topic).map(({ stage }) => [stage, topic] as const),
  );
  let quiet = 0;
  try {
    await waitUntil(
      'every group is at the end of its topics',
      async () => {
        quiet = (await areReadToTheEnd(offsets, topicPrefix, pairs)) ? quiet + 1 : 0;
        return quiet === 3;
      },
      { timeoutMs: drainTimeoutMs, everyMs: 300 },
    );
    return [];
  } catch {
    const behind = await Promise.all(
      pairs.map(async (pair) => ((await areReadToTheEnd(offsets, topicPrefix, [pair])) ? [] : [pair])),
    );
    return behind.flat().map(([stage, topic]) => ({
      finding: 'not-drained' as const,
      says: `${groupOf(topicPrefix, stage)} on ${topic} after ${drainTimeoutMs} ms`,
    }));
  }
}

/** The event has as many duplicates as there were sound records of duplicates. */
async function miscounted({ tables }: TopicsOptions, sent: readonly SentRecord[], id: string): Promise<Finding[]> {
  const [row] = await tables.query<{ duplicates: number }>(
    'SELECT duplicates FROM events WHERE tenant = $1 AND id = $2',
    [tenant, id],
  );
  const told = sent.filter(({ topic, kind }) => topic === 'duplicates' && kind === 'control').length;
  const counted = row?.duplicates ?? 0;
  if (counted === told) return [];
  const finding = counted > told ? 'control-twice' : 'control-lost';
  return [{ finding, says: `${counted} duplicates of ${id}, of ${told} that were told of` }];
}

/** Nobody was killed, and so nothing is sent again. A delivery without room waits for a moment. */
async function miscarried(
  { pipeline, tables, receiver, hasRejoined }: TopicsOptions,
  sent: readonly SentRecord[],
): Promise<Finding[]> {
  const controls = sent
    .filter(({ topic, kind }) => topic === 'deliveries' && kind === 'control')
    .map((record) => ({ record, eventId: textOf(record, header.eventId) }));
  const timesOf = (id: string): number => receiver.arrivals.filter(({ eventId }) => eventId === id).length;
  await waitUntil('each has arrived', () => controls.every(({ eventId }) => timesOf(eventId) > 0), {
    timeoutMs: arrivalTimeoutMs,
  }).catch(() => undefined);
  const mayRepeat = hasRejoined(groupOf(pipeline.stack.topicPrefix, 'dispatcher'));
  const wrong = controls.filter(({ eventId }) => timesOf(eventId) === 0 || (timesOf(eventId) > 1 && !mayRepeat));
  return Promise.all(
    wrong.map(async ({ record, eventId }): Promise<Finding> => {
      const times = timesOf(eventId);
      const rows = await tables.query('SELECT * FROM deliveries WHERE tenant = $1 AND event_id = $2', [
        tenant,
        eventId,
      ]);
      const says = `${positionOf(pipeline.stack, record)}: arrived ${times} times; ${JSON.stringify(rows)}`;
      return { finding: times === 0 ? 'control-lost' : 'control-twice', says };
    }),
  );
}
