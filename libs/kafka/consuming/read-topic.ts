import { AppError } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { createClient, rootCause } from '../client.ts';
import type { IncomingRecord, UndecodableBatch } from '../port.ts';
import { within } from '../time-limit.ts';
import type { ConsumerOptions } from './consumer-options.ts';
import { createConsumer } from './rebuilding/supervised-consumer.ts';

export interface ReadTopicOptions extends Pick<
  ConsumerOptions,
  'brokers' | 'tls' | 'sasl' | 'clientId' | 'clock' | 'log'
> {
  topic: string;
  /** A group that nobody else has; it is removed afterwards. */
  groupId: string;
  /** Records that were written before are left out; undefined: all that the topic still has. */
  sinceMs: number | undefined;
  /** In the order of each partition; several partitions may take turns. */
  handle(records: readonly IncomingRecord[]): Promise<void>;
  /** A batch that can't be decoded; it is passed over then. */
  onUndecodable(batch: UndecodableBatch): Promise<void>;
}

const closeTimeoutMs = 2_000;

/**
 * Reads a topic once, up to its ends at the start. Records written meanwhile may be handed out too.
 *
 * @throws AppError kafka_unavailable; whatever `handle` throws
 */
export async function readTopic({
  topic,
  groupId,
  sinceMs,
  handle,
  onUndecodable,
  ...common
}: ReadTopicOptions): Promise<void> {
  const admin = createClient(common).admin();
  try {
    await admin.connect();
    const ends = new Map((await admin.fetchTopicOffsets(topic)).map((each) => [each.partition, each]));
    const starts = sinceMs === undefined ? [] : await admin.fetchTopicOffsetsByTimestamp(topic, sinceMs);
    const startOf = new Map(starts.map(({ partition, offset }) => [partition, BigInt(offset)]));
    const partitions = [...ends.values()].map(({ partition, low, high }) => {
      const begin = startOf.get(partition) ?? BigInt(low);
      return { partition, start: begin > BigInt(low) ? begin : BigInt(low), end: BigInt(high) };
    });
    const unread = new Map(
      partitions.filter(({ start, end }) => start < end).map((each) => [each.partition, each.end]),
    );
    if (unread.size === 0) return;
    const offsets = partitions.map(({ partition, start }) => ({ partition, offset: String(start) }));
    await admin.setOffsets({ groupId, topic, partitions: offsets });
    await readUntil(unread);
    await admin.deleteGroups([groupId]).catch((error: unknown) => {
      common.log.warn({ event: 'kafka.group_not_removed', group: groupId, err: rootCause(error) });
    });
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    const cause = rootCause(thrown);
    throw new AppError('kafka_unavailable', `${topic} can't be read: ${cause.message}`, { cause });
  } finally {
    await within(common.clock, closeTimeoutMs, admin.disconnect(), () => undefined).catch(() => undefined);
  }

  async function readUntil(unread: Map<number, bigint>): Promise<void> {
    const { promise: readAll, resolve, reject } = Promise.withResolvers<void>();
    const consumer = createConsumer({
      ...common,
      groupId,
      topics: [topic],
      metrics: new Metrics(),
      handle: (records) => take(records, handle(records)),
      onUndecodable: (batch) =>
        take(
          [{ partition: batch.partition, offset: batch.lastOffset, done: () => batch.done() }],
          onUndecodable(batch),
        ),
      onFailure: reject,
    });
    async function take(
      read: readonly Pick<IncomingRecord, 'partition' | 'offset' | 'done'>[],
      taken: Promise<void>,
    ): Promise<void> {
      try {
        await taken;
      } catch (error) {
        reject(error);
        return;
      }
      for (const each of read) {
        const end = unread.get(each.partition);
        if (end !== undefined && each.offset + 1n >= end) unread.delete(each.partition);
        each.done();
      }
      if (unread.size === 0) resolve();
    }
    try {
      await consumer.start();
      await readAll;
    } finally {
      await consumer.stop();
    }
  }
}
