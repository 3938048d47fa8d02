/** The stages' results for the records, from the topics that they write and from the tables. */
import { randomUUID } from 'node:crypto';
import { type DeadLetterStage, header, parseDuplicate, type TopicName, topicsOf } from '#lib/contract';
import { type IncomingRecord, readTopic } from '#lib/kafka';
import type { Query } from '#lib/postgres';
import { silentLogger, systemClock } from '#lib/runtime';
import type { Stack } from '../../../support/stack.ts';
import type { Codecs } from './codecs.ts';
import { markHeader, positionOf, type SentRecord, textOf } from './forged-record.ts';
import { noneUndecodable } from '../../../support/none-undecodable.ts';

export interface DeadLetter {
  stage: string;
  reason: string;
  record: IncomingRecord;
}

export interface Evidence {
  deadLettersOf(record: SentRecord, stage: DeadLetterStage): readonly DeadLetter[];
  /** How often the stage has done its work on the record; what is written by a key of its own, once or never. */
  timesProcessed(record: SentRecord, stage: DeadLetterStage): Promise<number>;
}

const writtenTopics = ['dead-letters', 'events', 'duplicates', 'delivery.attempts'] as const;

interface Options {
  stack: Stack;
  tables: Query;
  codecs: Codecs;
}

export async function gatherEvidence({ stack, tables, codecs }: Options): Promise<Evidence> {
  const read = await Promise.all(writtenTopics.map(async (topic) => [topic, await readAll(stack, topic)] as const));
  const standing = new Map<TopicName, IncomingRecord[]>(read);
  const letters = (standing.get('dead-letters') ?? []).map((record): DeadLetter => {
    const { [header.deadLetterStage]: stage = '', [header.deadLetterReason]: reason = '' } = record.headers;
    return { stage, reason, record };
  });
  const byMark = Map.groupBy(letters, ({ record }) => record.headers[markHeader]);
  // That of a delivery which was given up is made of what is known of the delivery.
  const byDelivery = Map.groupBy(letters, ({ record: { headers } }) =>
    headers[markHeader] === undefined ? pairOf(headers[header.tenant], headers[header.deliveryId]) : undefined,
  );
  /** How many records that a stage has written tell of the same thing. */
  const told = new Map<string, number>();
  const tell = (what: string): void => void told.set(what, (told.get(what) ?? 0) + 1);
  for (const { value } of writtenTo('events')) {
    const event = await decoded('events', value);
    if (event !== undefined) tell(`origin ${event.origin}`);
  }
  for (const { value } of writtenTo('duplicates')) {
    const duplicate = parseDuplicate(value);
    if (!('malformed' in duplicate)) tell(`origin ${duplicate.origin}`);
  }
  for (const { value } of writtenTo('delivery.attempts')) {
    const attempt = await decoded('delivery.attempts', value);
    if (attempt?.kind === 'fanned_out') tell(`set ${pairOf(attempt.tenant, attempt.event_id)}`);
    else if (attempt?.step === 1) tell(`step ${pairOf(attempt.tenant, attempt.delivery_id ?? '')}`);
  }
  return { deadLettersOf, timesProcessed };

  /** Without what was forged. */
  function writtenTo(topic: TopicName): IncomingRecord[] {
    return (standing.get(topic) ?? []).filter(({ headers }) => headers[markHeader] === undefined);
  }

  function decoded<Topic extends keyof Codecs>(topic: Topic, value: Buffer | null) {
    type Value = Awaited<ReturnType<Codecs[Topic]['decode']>>;
    return codecs[topic].decode(value ?? Buffer.alloc(0)).catch(() => undefined) as Promise<Value | undefined>;
  }

  function deadLettersOf(record: SentRecord, stage: DeadLetterStage): readonly DeadLetter[] {
    // Itself, with the headers of a dead letter that it has been given: nobody writes one about it.
    if (record.topic === 'dead-letters') return [];
    const delivery = pairOf(textOf(record, header.tenant), textOf(record, header.deliveryId));
    const ofDelivery = record.topic === 'deliveries' ? (byDelivery.get(delivery) ?? []) : [];
    return [...(byMark.get(record.mark) ?? []), ...ofDelivery].filter((letter) => letter.stage === stage);
  }

  async function timesProcessed(record: SentRecord, stage: DeadLetterStage): Promise<number> {
    switch (stage) {
      case 'dedup':
        return told.get(`origin ${textOf(record, header.origin) || positionOf(stack, record)}`) ?? 0;
      case 'fan-out': {
        // It is done as it stands.
        if (textOf(record, header.fanOut) !== '') return 1;
        const event = await decoded('events', record.value);
        return event === undefined ? 0 : (told.get(`set ${pairOf(event.tenant, event.id)}`) ?? 0);
      }
      case 'dispatcher':
        return told.get(`step ${pairOf(textOf(record, header.tenant), textOf(record, header.deliveryId))}`) ?? 0;
      case 'projector': {
        const [where, ...values] = (await rowsOf(record)) ?? [''];
        // A text that has a NUL is in no table.
        if (where === '' || values.some((value) => String(value).includes('\0'))) return 0;
        const [row] = await tables.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${where}`, values);
        return row?.n ?? 0;
      }
    }
  }

  /** The rows that the projector makes of a record: FROM and WHERE, with their values. */
  async function rowsOf(record: SentRecord): Promise<[where: string, ...values: unknown[]] | undefined> {
    if (record.topic === 'events') {
      const event = await decoded('events', record.value);
      return event && ['events WHERE tenant = $1 AND id = $2', event.tenant, event.id];
    }
    if (record.topic === 'duplicates') {
      const duplicate = parseDuplicate(record.value ?? Buffer.alloc(0));
      if ('malformed' in duplicate) return undefined;
      return ['receipts WHERE tenant = $1 AND origin = $2', duplicate.tenant, duplicate.origin];
    }
    if (record.topic === 'dead-letters') {
      // One with the stage and the origin of another is that one, written again.
      const where = 'dead_letters WHERE letter_partition = $1 AND letter_offset = $2 OR stage = $3 AND origin = $4';
      const named = [header.deadLetterStage, header.deadLetterOrigin].map((name) => textOf(record, name));
      return [where, record.partition, record.offset, ...named];
    }
    const attempt = await decoded('delivery.attempts', record.value);
    if (attempt === undefined) return undefined;
    const { kind, tenant, event_id, generation, delivery_id, step } = attempt;
    if (kind === 'attempted')
      return ['attempts WHERE tenant = $1 AND delivery_id = $2 AND step = $3', tenant, delivery_id, step];
    if (kind !== 'fanned_out') return ['deliveries WHERE tenant = $1 AND id = $2', tenant, delivery_id];
    const sets = ['fan_outs', 'fan_out_chunks'].map((table) => `SELECT tenant, event_id, generation FROM ${table}`);
    const where = `(${sets.join(' UNION ALL ')}) AS sets WHERE tenant = $1 AND event_id = $2 AND generation = $3`;
    return [where, tenant, event_id, generation];
  }
}

/** All that stands on the topic now, in the order of each partition. */
async function readAll({ kafkaBrokers: brokers, topicPrefix }: Stack, name: TopicName): Promise<IncomingRecord[]> {
  const found: IncomingRecord[] = [];
  await readTopic({
    brokers,
    clientId: 'fuzzing',
    clock: systemClock,
    log: silentLogger,
    sinceMs: undefined,
    topic: topicsOf(topicPrefix)[name],
    groupId: `${topicPrefix}fuzzing-${randomUUID()}`,
    handle: async (records) => void found.push(...records),
    onUndecodable: noneUndecodable,
  });
  return found;
}

const pairOf = (tenant = '', id = ''): string => `${tenant}/${id}`;
