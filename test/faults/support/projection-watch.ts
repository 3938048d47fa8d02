/**
 * When the projector had put a record of a topic into the tables: its committed offsets, asked again and again while a run goes on. The
 * projector commits after it has written, so a record below its offset is in the tables.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { KafkaOffsets } from '../../support/kafka-offsets.ts';

export interface ProjectionWatch {
  /**
   * @param position `topic-partition-offset`
   * @returns the earliest time, in milliseconds since the epoch, when the record was seen to be in the tables; infinity: it never was
   * @throws the first error of Kafka: nobody has watched since; Error for a partition that nobody has looked at
   */
  inTablesAtMs(position: string): number;
  stop(): Promise<void>;
}

const betweenLooksMs = 500;

interface Look {
  atMs: number;
  committed: number;
}

export function watchProjection(
  offsets: Pick<KafkaOffsets, 'committed'>,
  { group, topic }: { group: string; topic: string },
): ProjectionWatch {
  /** By `topic-partition`, in the order of time; a look that found nothing new is left out. */
  const looks = new Map<string, Look[]>();
  const stopping = new AbortController();
  let failure: { error: unknown } | undefined;
  const watching = watch().catch((error: unknown) => void (failure = { error }));

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const offsetsNow = await offsets.committed(group, topic);
      const atMs = Date.now();
      for (const [partition, committed] of Object.entries(offsetsNow)) {
        const seen = looks.get(partition) ?? [];
        looks.set(partition, seen);
        if (committed > (seen.at(-1)?.committed ?? 0)) seen.push({ atMs, committed });
      }
      await delay(betweenLooksMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  return {
    inTablesAtMs(position) {
      if (failure !== undefined) throw failure.error;
      const end = position.lastIndexOf('-');
      const offset = Number(position.slice(end + 1));
      const seen = looks.get(position.slice(0, end));
      if (seen === undefined) throw new Error(`nobody has looked at the partition of ${position}`);
      return seen.find(({ committed }) => committed > offset)?.atMs ?? Number.POSITIVE_INFINITY;
    },
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}
