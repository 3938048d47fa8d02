import { readFileSync } from 'node:fs';

/** Samples of each process, one a second, in MiB. */
export type MemorySamples = Record<string, number[]>;

export interface MemoryWatch {
  stop(): MemorySamples;
}

/** Looks at the resident memory of processes once a second (Linux alone tells it so cheaply). */
export function watchMemory(pids: Readonly<Record<string, number>>): MemoryWatch {
  const samples: MemorySamples = Object.fromEntries(Object.keys(pids).map((name) => [name, []]));
  const timer = setInterval(() => {
    for (const [name, pid] of Object.entries(pids)) {
      const mib = residentMib(pid);
      if (mib !== undefined) samples[name]?.push(mib);
    }
  }, 1_000);
  return {
    stop() {
      clearInterval(timer);
      return samples;
    },
  };
}

function residentMib(pid: number): number | undefined {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) / 1024;
  } catch {
    return undefined;
  }
}

export interface MemoryTrend {
  middleMib: number;
  lastMib: number;
  maxMib: number;
  isFlat: boolean;
}

/** Flat: the median of the last third is not above 1.2 times that of the middle third. The first third is for warming up. */
export function trendOf(samples: readonly number[]): MemoryTrend {
  const third = Math.floor(samples.length / 3);
  const middleMib = median(samples.slice(third, 2 * third));
  const lastMib = median(samples.slice(samples.length - third));
  return { middleMib, lastMib, maxMib: Math.max(0, ...samples), isFlat: lastMib <= 1.2 * middleMib };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
