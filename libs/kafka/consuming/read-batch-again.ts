import type { Clock } from '#lib/runtime';
import { type ClientOptions, createClient, rootCause } from '../client.ts';
import { FetchedBatch, type FetchedMessage } from '../codec/fetched-batch.ts';
import { createInnerCluster } from '../kafkajs-patches/inner-cluster.ts';
import type { IncomingRecord, UndecodableBatch } from '../port.ts';
import { within } from '../time-limit.ts';
import { openKept } from './decode-kept-batch.ts';

interface Options extends ClientOptions {
  clock: Clock;
  /** The most that the batch may have when it is decompressed. */
  maxDecompressedBytes: number;
}

const answerMs = 15_000;
const closeTimeoutMs = 2_000;
const maxBytes = 8 * 1024 * 1024;
const readCommitted = 1;

/**
 * Reads a batch from its topic that could not be decoded when it was consumed: a disk may have been mended since, or the bytes have changed on
 * their way. Never rejects.
 *
 * @returns a problem in words if it isn't there any more, or can't be decoded there either
 */
export async function readBatchAgain(
  batch: Pick<UndecodableBatch, 'topic' | 'partition' | 'firstOffset' | 'lastOffset'>,
  { clock, maxDecompressedBytes, ...access }: Options,
): Promise<{ records: IncomingRecord[] } | { problem: string }> {
  const { topic, partition, firstOffset, lastOffset } = batch;
  const cluster = createInnerCluster(createClient(access));

  async function fetch(): Promise<readonly FetchedMessage[]> {
    await cluster.connect();
    await cluster.addTargetTopic(topic);
    const [nodeId = ''] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
    const broker = await cluster.findBroker({ nodeId });
    const { responses } = await broker.fetch({
      maxWaitTime: 100,
      minBytes: 1,
      maxBytes,
      isolationLevel: readCommitted,
      topics: [{ topic, partitions: [{ partition, fetchOffset: String(firstOffset), maxBytes }] }],
    });
    return (responses[0]?.partitions[0]?.messages ?? []) as readonly FetchedMessage[];
  }

  try {
    const found = await within(clock, answerMs, fetch(), () => {
      throw new Error('the broker does not answer');
    });
    const wanted = found.filter((each) => beginOf(each) <= lastOffset && BigInt(each.offset) >= firstOffset);
    if (BigInt(wanted.at(-1)?.offset ?? -1) < lastOffset) return { problem: 'is not on its topic any more' };
    if (wanted.some(({ batchContext }) => batchContext.inTransaction)) return { problem: 'is part of a transaction' };
    const opened = openKept(wanted, { topic, partition }, maxDecompressedBytes);
    if ('problem' in opened) return opened;
    return { records: opened.records.filter(({ offset }) => offset >= firstOffset && offset <= lastOffset) };
  } catch (error) {
    return { problem: `can't be read from its topic: ${rootCause(error).message}` };
  } finally {
    await within(clock, closeTimeoutMs, cluster.disconnect(), () => undefined).catch(() => undefined);
  }
}

const beginOf = (message: FetchedMessage): bigint =>
  (message instanceof FetchedBatch ? message.firstOffset : undefined) ?? BigInt(message.offset);
