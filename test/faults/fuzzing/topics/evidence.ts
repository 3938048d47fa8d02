/** Collects what the stages have made of the records, from the topics that they write and from the tables. */
import {
  type AvroAttempt,
  type DeadLetterStage,
  type EventRecord,
  header,
  parseDuplicate,
  type TopicName,
} from '#lib/contract';
import type { AvroCodec, IncomingRecord } from '#lib/kafka';
import type { Stack } from '../../../support/stack.ts';
import type { Tables } from '../tables.ts';
import { markHeader, type SentRecord } from './forged-record.ts';
import { readTopics } from './read-topics.ts';

export interface Letter {
  stage: string;
  reason: string;
  record: IncomingRecord;
}

export interface Evidence {
  deadLettersOf(record: SentRecord, stage: DeadLetterStage): readonly Letter[];
  /** How often the stage has done its work on the record; what is written by a key of its own, once or never. */
  timesProcessed(record: SentRecord, stage: DeadLetterStage): Promise<number>;
}

interface Options {
  stack: Stack;
  tables: Tables;
  events: AvroCodec<EventRecord>;
  attempts: AvroCodec<AvroAttempt>;
}

export async function gatherEvidence({ stack, tables, events, attempts }: Options): Promise<Evidence> {
  const found = await readTopics(stack, ['dead-letters', 'events', 'delivery.attempts', 'duplicates']);
  const of = (name: TopicName): IncomingRecord[] => found.get(name) ?? [];
  const written = of('dead-letters').map((record): Letter => {
    const { [header.deadLetterStage]: stage = '', [header.deadLetterReason]: reason = '' } = record.headers;
    return { stage, reason, record };
  });
  const byMark = Map.groupBy(written, ({ record }) => record.headers[markHeader]);
  // That of a delivery which was given up is made of what is known of the delivery.
  const byDelivery = Map.groupBy(written, ({ record: { headers } }) =>
    headers[markHeader] === undefined ? deliveryOf(headers[header.tenant], headers[header.deliveryId]) : undefined,
  );
  /** How many records name it, of those that were not forged. */
  const origins = new Map<string, number>();
  const sets = new Map<string, number>();
  const steps = new Map<string, number>();
  const isForged = ({ headers }: IncomingRecord): boolean => headers[markHeader] !== undefined;
  for (const record of of('events').filter((each) => !isForged(each))) {
    const event = await decoded(events, record.value);
    if (event !== undefined) add(origins, event.origin);
  }
  for (const record of of('duplicates').filter((each) => !isForged(each))) {
    const duplicate = parseDuplicate(record.value);
    if (!('malformed' in duplicate)) add(origins, duplicate.origin);
  }
  for (const record of of('delivery.attempts').filter((each) => !isForged(each))) {
    const attempt = await decoded(attempts, record.value);
    if (attempt === undefined) continue;
    if (attempt.kind === 'fanned_out') add(sets, `${attempt.tenant}/${attempt.event_id}`);
    else if (attempt.step === 1) add(steps, deliveryOf(attempt.tenant, attempt.delivery_id ?? ''));
  }

  /** A text that has a NUL is in no table. */
  const countRows = async (text: string, values: readonly (string | number | null)[]): Promise<number> => {
    if (values.some((value) => typeof value === 'string' && value.includes('\0'))) return 0;
    const [row] = await tables.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${text}`, values);
    return row?.n ?? 0;
  };

  async function projected(record: SentRecord): Promise<number> {
    const value = record.value ?? Buffer.alloc(0);
    switch (record.topic) {
      case 'events': {
        const event = await decoded(events, value);
        return event === undefined ? 0 : countRows('events WHERE tenant = $1 AND id = $2', [event.tenant, event.id]);
      }
      case 'delivery.attempts': {
        const attempt = await decoded(attempts, value);
        if (attempt === undefined) return 0;
        const { tenant, event_id, generation, delivery_id, step } = attempt;
        if (attempt.kind === 'fanned_out')
          return countRows(
            `(SELECT tenant, event_id, generation FROM fan_outs
              UNION ALL SELECT tenant, event_id, generation FROM fan_out_chunks) AS sets
              WHERE tenant = $1 AND event_id = $2 AND generation = $3`,
            [tenant, event_id, generation],
          );
        return attempt.kind === 'attempted'
          ? countRows('attempts WHERE tenant = $1 AND delivery_id = $2 AND step = $3', [tenant, delivery_id, step])
          : countRows('deliveries WHERE tenant = $1 AND id = $2', [tenant, delivery_id]);
      }
      case 'duplicates': {
        const duplicate = parseDuplicate(value);
        if ('malformed' in duplicate) return 0;
        return countRows('receipts WHERE tenant = $1 AND origin = $2', [duplicate.tenant, duplicate.origin]);
      }
      case 'dead-letters':
        // One with the stage and the origin of another is that one, written again.
        return countRows(
          'dead_letters WHERE letter_partition = $1 AND letter_offset = $2 OR stage = $3 AND origin = $4',
          [
            record.partition,
            record.offset,
            textOf(record, header.deadLetterStage),
            textOf(record, header.deadLetterOrigin),
          ],
        );
      default:
        return 0;
    }
  }

  return {
    deadLettersOf(record, stage) {
      // Itself, with the headers of a dead letter that it has been given: nobody writes one about it.
      if (record.topic === 'dead-letters') return [];
      const delivery = deliveryOf(textOf(record, header.tenant), textOf(record, header.deliveryId));
      const marked = byMark.get(record.mark) ?? [];
      const ofDelivery = record.topic === 'deliveries' ? (byDelivery.get(delivery) ?? []) : [];
      return [...marked, ...ofDelivery].filter((letter) => letter.stage === stage);
    },
    async timesProcessed(record, stage) {
      switch (stage) {
        case 'dedup':
          return origins.get(textOf(record, header.origin) || positionOf(stack, record)) ?? 0;
        case 'fan-out': {
          // It is done as it stands.
          if (textOf(record, header.fanOut) !== '') return 1;
          const event = await decoded(events, record.value ?? Buffer.alloc(0));
          return event === undefined ? 0 : (sets.get(`${event.tenant}/${event.id}`) ?? 0);
        }
        case 'dispatcher':
          return steps.get(deliveryOf(textOf(record, header.tenant), textOf(record, header.deliveryId))) ?? 0;
        case 'projector':
          return projected(record);
      }
    },
  };
}

export const positionOf = ({ topicPrefix }: Stack, { topic, partition, offset }: SentRecord): string =>
  `${topicPrefix}${topic}-${partition}-${offset}`;

const deliveryOf = (tenant = '', id = ''): string => `${tenant}/${id}`;

/** The last value of a header that comes twice. */
export function textOf({ headers }: SentRecord, name: string): string {
  const values = Object.hasOwn(headers, name) ? [headers[name] ?? []].flat() : [];
  return values.at(-1)?.toString() ?? '';
}

const decoded = <T>(codec: AvroCodec<T>, bytes: Buffer): Promise<T | undefined> =>
  codec.decode(bytes).catch(() => undefined);

const add = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
