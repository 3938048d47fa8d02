import type { TestCluster } from './cluster.ts';
import { keysByPartition } from './setup.ts';

export interface SentValues {
  /** Values whose sending was reported as a success. */
  reported: string[];
  /** How often each value stands on the topic. */
  stored: Map<string, number>;
}

/** Sends records and says which of them it takes for written. */
export type SendAll = (
  topic: string,
  records: readonly { key: string | null; value: string }[],
) => Promise<readonly string[]>;

/**
 * The fault in which a plain client loses what it reports as sent: a batch goes to several brokers, one of them has lost its partition
 * to another of them since the client last asked, and that other one has already answered for its own part.
 *
 * @param keyed false: the records have no key
 */
export async function sendAcrossMovedLeader(
  cluster: TestCluster,
  name: string,
  { keyed }: { keyed: boolean },
  send: SendAll,
): Promise<SentValues> {
  const topic = await cluster.createTopic(name, [[1], [2], [3]], { 'min.insync.replicas': '1' });
  const keys = keysByPartition(3);
  // The client learns who leads what, and connects to all three.
  await send(
    topic,
    keys.map((key, i) => ({ key, value: `warm-up ${i}` })),
  );
  await cluster.move(topic, 0, [2]);
  const records = Array.from({ length: 60 }, (_, i) => ({
    key: keyed ? (keys[i % 3] ?? null) : null,
    value: `record ${i}`,
  }));
  const reported = await send(topic, records);
  const stored = new Map<string, number>();
  for (const record of await cluster.readAll(topic)) {
    const value = record.value.toString();
    stored.set(value, (stored.get(value) ?? 0) + 1);
  }
  return { reported: [...reported], stored };
}

export const missingOf = ({ reported, stored }: SentValues): string[] => reported.filter((value) => !stored.has(value));
