/** Whether all has come to its end, and what sound records have come to there. */
import { groupOf, header, topicNames } from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { KafkaOffsets } from '../../../support/kafka-offsets.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { areReadToTheEnd } from '../../support/are-read-to-the-end.ts';
import type { Finding } from '../findings.ts';
import { positionOf, type SentRecord, textOf } from './forged-record.ts';
import type { TopicsOptions } from './fuzz-topics.ts';
import type { TopicReader } from './readers.ts';

/** One of its own: requests without a tenant may have made endpoints for the default one, that take whatever there is. */
export const tenant = 'topics';
/** A machine that is busy elsewhere makes an attempt time out, and others with it: longer than the breaker then waits. */
const arrivalTimeoutMs = 90_000;

/** The row of an event. */
export interface CountedEvent {
  id: string;
  dedup_key: Buffer;
  source_id: string;
  duplicates: number;
}

const controlsOf = (sent: readonly SentRecord[], of: SentRecord['topic']): SentRecord[] =>
  sent.filter(({ topic, kind }) => topic === of && kind === 'control');

/** Each record of one stage is one more of the next: they are looked at in the order of an event's way, until nothing moves any more. */
export async function drained(
  { pipeline, drainTimeoutMs }: TopicsOptions,
  readers: readonly TopicReader[],
  offsets: KafkaOffsets,
): Promise<Finding[]> {
  const { topicPrefix } = pipeline.stack;
  const pairs = topicNames.flatMap((topic) =>
    readers.filter((reader) => reader.topic === topic).map(({ stage }) => [stage, topic] as const),
  );
  let quiet = 0;
  const look = async (): Promise<boolean> => {
    quiet = (await areReadToTheEnd(offsets, topicPrefix, pairs)) ? quiet + 1 : 0;
    return quiet === 3;
  };
  try {
    await waitUntil('every group is at the end of its topics', look, { timeoutMs: drainTimeoutMs, everyMs: 300 });
    return [];
  } catch {
    const areDone = await Promise.all(pairs.map((pair) => areReadToTheEnd(offsets, topicPrefix, [pair])));
    const behind = pairs.filter((_, index) => !areDone[index]);
    return behind.map(([stage, topic]) => ({
      finding: 'not-drained',
      says: `${groupOf(topicPrefix, stage)} on ${topic} after ${drainTimeoutMs} ms`,
    }));
  }
}

/** The event has as many duplicates as there were sound records of duplicates. */
export async function miscounted(tables: Query, sent: readonly SentRecord[], { id }: CountedEvent): Promise<Finding[]> {
  const [row] = await tables.query<CountedEvent>('SELECT * FROM events WHERE tenant = $1 AND id = $2', [tenant, id]);
  const told = controlsOf(sent, 'duplicates').length;
  const counted = row?.duplicates ?? 0;
  if (counted === told) return [];
  const finding = counted > told ? 'control-twice' : 'control-lost';
  return [{ finding, says: `${counted} duplicates of ${id}, of ${told} that were told of` }];
}

/** Nobody was killed, and so nothing is sent again. A delivery without room waits for a moment. */
export async function miscarried(
  { pipeline, tables, receiver }: TopicsOptions,
  sent: readonly SentRecord[],
  mayRepeat: boolean,
): Promise<Finding[]> {
  const controls = controlsOf(sent, 'deliveries').map((record) => ({ record, id: textOf(record, header.eventId) }));
  const timesOf = (id: string): number => receiver.arrivals.filter(({ eventId }) => eventId === id).length;
  await waitUntil('each has arrived', () => controls.every(({ id }) => timesOf(id) > 0), {
    timeoutMs: arrivalTimeoutMs,
  }).catch(() => undefined);
  const wrong = controls.filter(({ id }) => timesOf(id) === 0 || (timesOf(id) > 1 && !mayRepeat));
  return Promise.all(
    wrong.map(async ({ record, id }): Promise<Finding> => {
      const rows = await tables.query('SELECT * FROM deliveries WHERE tenant = $1 AND event_id = $2', [tenant, id]);
      const says = `${positionOf(pipeline.stack, record)}: arrived ${timesOf(id)} times; ${JSON.stringify(rows)}`;
      return { finding: timesOf(id) === 0 ? 'control-lost' : 'control-twice', says };
    }),
  );
}
