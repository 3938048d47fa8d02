/**
 * Writes records to every topic that has a reader: sound ones and broken ones, in any order, on every partition. Then every reader must come
 * to the end of its topics, and each record to one of its own.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { BodyOf, publishEvent } from '#lib/api-contract';
import {
  avroTopics,
  type DeadLetterStage,
  endpointSettlingMs,
  groupOf,
  type TopicName,
  topicNames,
  topicsOf,
} from '#lib/contract';
import type { Query } from '#lib/postgres';
import { connectKafkaOffsets } from '../../../support/kafka-offsets.ts';
import type { Pipeline } from '../../../support/pipeline.ts';
import type { Receiver } from '../../../support/receiver.ts';
import { seededRandom, seedOf, shuffled } from '../../../support/seeded-random.ts';
import { connectApi } from '../connect-api.ts';
import { drawFor } from '../draw.ts';
import type { Finding } from '../findings.ts';
import { type BaseRecords, createBaseRecords } from './base-records.ts';
import { codecsOf } from './codecs.ts';
import { gatherEvidence } from './evidence.ts';
import type { ForgedRecord, Kind, SentRecord } from './forged-record.ts';
import { judgeRecords, type TopicTally } from './judge-records.ts';
import { kindsByHand } from './kinds/by-hand.ts';
import { kindsByPart } from './kinds/by-part.ts';
import { findReaders, type TopicReader } from './readers.ts';
import { connectSender } from './send.ts';
import { type CountedEvent, drained, miscarried, miscounted, tenant } from './settled.ts';
import { registerVersions } from './versions.ts';

export interface TopicsOptions {
  pipeline: Pipeline;
  tables: Query;
  receiver: Receiver;
  seed: number;
  /** Records of each kind, on each topic. */
  records: number;
  /** No other case is written, but for sound records. */
  onlyCase: string | undefined;
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

const partitions = 3;
/** Sound ones among them: one of so many. */
const controlEvery = 6;
/** The delay between an event and the endpoint's first look at it. */
const commitMs = 1_000;

/** No endpoint asks for it. A delivery of it that found no room comes back from the tables with it all the same. */
const unwanted = { type: 'unwanted', payload: {} };
const control: Kind = { kind: 'control', ending: 'processed', forge: () => ({}) };

export async function fuzzTopics(options: TopicsOptions): Promise<TopicsResult> {
  const { seed, tables, receiver, unprojected, hasRejoined } = options;
  const { stack } = options.pipeline;
  const topics = topicsOf(stack.topicPrefix);
  const api = connectApi(stack, tenant);
  const publish = async (body: BodyOf<typeof publishEvent>): Promise<string> =>
    (await api.call('POST /v1/events', { body })).id;
  const codecs = codecsOf(stack);
  await Promise.all(avroTopics.map((topic) => codecs[topic].start()));
  const sender = await connectSender(stack.kafkaBrokers, topics);
  const versions = await registerVersions(stack);
  const offsets = await connectKafkaOffsets(stack.kafkaBrokers);

  /** In any order, and so that each partition has its part of everything. */
  async function recordsOf(topic: TopicName, base: BaseRecords): Promise<ForgedRecord[]> {
    const cases = [...kindsByPart(topic), ...kindsByHand(topic, versions)]
      .flatMap((kind) =>
        Array.from({ length: options.records }, (_, n) => ({ kind, caseName: `${topic}, ${kind.kind} #${n}` })),
      )
      .filter(({ caseName }) => options.onlyCase === undefined || caseName === options.onlyCase);
    const controls = Array.from({ length: Math.ceil(cases.length / controlEvery) }, (_, n) => ({
      kind: control,
      caseName: `${topic}, control #${n}`,
    }));
    const made: Omit<ForgedRecord, 'partition'>[] = [];
    for (const { kind, caseName } of [...cases, ...controls]) {
      const draw = drawFor(seed, caseName);
      const eventId = kind === control && topic === 'deliveries' ? await publish(unwanted) : undefined;
      const sound = base.of(topic, draw, kind === control ? { eventId } : undefined);
      const forged = kind.forge({ topic, sound, base, draw });
      made.push({ topic, kind: kind.kind, caseName, ending: kind.ending, ...sound, ...forged });
    }
    options.say(`  ${topic}: ${cases.length} forged, ${controls.length} sound`);
    return shuffled(made, seededRandom(seedOf(seed, topic))).map((record, index) => ({
      ...record,
      partition: index % partitions,
    }));
  }

  try {
    const readers = await findReaders(stack);
    // One that keeps an order, and one that does not.
    const endpoints = await Promise.all(
      [false, true].map((ordered) => {
        const endpoint = { url: receiver.url(`fuzzed ${ordered}`), ordered, event_types: ['fuzzed.*'] };
        return api.call('POST /v1/endpoints', { body: endpoint });
      }),
    );
    await delay(endpointSettlingMs + commitMs);
    // One that came the usual way, of which there are to be duplicates.
    const counted = await publish({ type: 'counted', payload: {}, event_id: 'counted' });
    const [event] = await tables.query<CountedEvent>('SELECT * FROM events WHERE tenant = $1 AND id = $2', [
      tenant,
      counted,
    ]);
    if (event === undefined) throw new Error(`the event ${counted} is not in the tables`);
    const base = createBaseRecords({ codecs, tenant, endpointIds: endpoints.map(({ id }) => id), event });
    const sent: SentRecord[] = [];
    for (const topic of topicNames.filter((name) => readers.some((reader) => reader.topic === name)))
      sent.push(...(await sender.send(await recordsOf(topic, base))));

    const untouched = readers.filter(({ topic }) => !sent.some((record) => record.topic === topic));
    const behind = await drained(options, readers, offsets);
    // A record that holds up the stages may hold up this process, too: after one that did not come to its end nothing more is read.
    if (behind.length > 0) return { topics: new Map(), readers, findings: behind };
    const evidence = await gatherEvidence({ stack, tables, codecs });
    const mayRepeat = (stage: DeadLetterStage): boolean => hasRejoined(groupOf(stack.topicPrefix, stage));
    const judged = await judgeRecords({ stack, records: sent, readers, evidence, unprojected, mayRepeat });
    const findings = [
      ...judged.findings,
      ...(options.onlyCase === undefined ? untouched : []).map(({ topic }) => ({
        finding: 'topic-untouched' as const,
        says: topic,
      })),
      ...(await miscounted(tables, sent, event)),
      ...(await miscarried(options, sent, mayRepeat('dispatcher'))),
    ];
    return { topics: judged.tally, readers, findings };
  } finally {
    await Promise.all([sender.close(), versions.close(), offsets.close()]);
    await Promise.all(avroTopics.map((topic) => codecs[topic].stop()));
  }
}
