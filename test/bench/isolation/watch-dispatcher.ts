import { readFileSync } from 'node:fs';
import type { KafkaOffsets } from '../../support/kafka-offsets.ts';

/** An outside view of a dispatcher, twice a second. */
export interface Watch {
  mostRssMib(): number;
  /** How long it ran, and how long it waited for a processor: if that is much, latencies mean little. */
  processor(): { ranSeconds: number; waitedSeconds: number };
  /** How old the oldest record that was not committed has been, at the most, and now, in seconds. */
  oldestUncommitted(): { most: number; now: number };
  stop(): Promise<void>;
}

interface Options {
  pid: number;
  offsets: KafkaOffsets;
  group: string;
  topic: string;
}

const everyMs = 500;

export function watchDispatcher({ pid, offsets, group, topic }: Options): Watch {
  /** When each partition's end was first seen to be there. */
  const ends = new Map<string, { end: number; atMs: number }[]>();
  const oldest = { most: 0, now: 0 };
  let mostRssMib = 0;
  let stopped = false;

  async function look(): Promise<void> {
    mostRssMib = Math.max(mostRssMib, rssMib(pid));
    const committed = await offsets.committed(group, topic);
    const nowMs = performance.now();
    for (const [partition, end] of Object.entries(await offsets.ends([topic]))) {
      const seen = ends.get(partition) ?? [];
      if (end > (seen.at(-1)?.end ?? 0)) seen.push({ end, atMs: nowMs });
      ends.set(partition, seen);
    }
    const ages = [...ends].map(([partition, seen]) => {
      const first = seen.find(({ end }) => end > (committed[partition] ?? 0));
      return first === undefined ? 0 : (nowMs - first.atMs) / 1e3;
    });
    oldest.now = Math.max(0, ...ages);
    oldest.most = Math.max(oldest.most, oldest.now);
  }

  const watching = (async () => {
    while (!stopped) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();

  return {
    mostRssMib: () => mostRssMib,
    processor() {
      const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
      return { ranSeconds: ran / 1e9, waitedSeconds: waited / 1e9 };
    },
    oldestUncommitted: () => ({ ...oldest }),
    async stop() {
      stopped = true;
      await watching;
    },
  };
}

function rssMib(pid: number): number {
  const [, kib = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}
