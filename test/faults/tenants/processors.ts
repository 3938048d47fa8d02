/** Counts how much of the processors each process gets in a phase, and how long its threads wait for one: where they wait, a latency is the machine's. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessorUse {
  process: string;
  /** Processors that it has, on average. */
  has: number;
  /** Threads that could run and wait for a processor, on average. */
  waiting: number;
}

export interface ProcessorMeter {
  /** Begins a phase, and ends the one before; undefined: begins none. */
  enter(phase: string | undefined): void;
  useIn(phase: string): ProcessorUse[];
}

interface Counted {
  ranNs: number;
  waitedNs: number;
}

interface Reading {
  atMs: number;
  /** By process and thread. */
  threads: Map<string, Map<string, Counted>>;
}

/**
 * @param processIds by the name of a process. Its children count with it, but for those that have a name themselves; a thread that has ended by
 *   the end of a phase does not count in it
 */
export function createProcessorMeter(processIds: () => Readonly<Record<string, number>>): ProcessorMeter {
  const phases = new Map<string, { ms: number; use: Map<string, Counted> }>();
  let entered: { phase: string; from: Reading } | undefined;

  function read(): Reading {
    const named = Object.entries(processIds());
    const others = new Set(named.map(([, pid]) => pid));
    return {
      atMs: performance.now(),
      threads: new Map(named.map(([process, pid]) => [process, new Map(threadsOf(pid, others))])),
    };
  }

  function keep(phase: string, from: Reading, to: Reading): void {
    const kept = phases.get(phase) ?? { ms: 0, use: new Map<string, Counted>() };
    kept.ms += to.atMs - from.atMs;
    for (const [process, threads] of to.threads) {
      const sum = kept.use.get(process) ?? { ranNs: 0, waitedNs: 0 };
      for (const [thread, { ranNs, waitedNs }] of threads) {
        const before = from.threads.get(process)?.get(thread);
        sum.ranNs += ranNs - (before?.ranNs ?? 0);
        sum.waitedNs += waitedNs - (before?.waitedNs ?? 0);
      }
      kept.use.set(process, sum);
    }
    phases.set(phase, kept);
  }

  return {
    enter(phase) {
      const now = read();
      if (entered !== undefined) keep(entered.phase, entered.from, now);
      entered = phase === undefined ? undefined : { phase, from: now };
    },
    useIn(phase) {
      const { ms, use } = phases.get(phase) ?? { ms: 1, use: new Map<string, Counted>() };
      return [...use].map(([process, { ranNs, waitedNs }]) => ({
        process,
        has: ranNs / 1e6 / ms,
        waiting: waitedNs / 1e6 / ms,
      }));
    },
  };
}

/** A process may end while it is read. */
function* threadsOf(pid: number, others: ReadonlySet<number>): Iterable<[string, Counted]> {
  for (const thread of orNone(() => readdirSync(`/proc/${pid}/task`))) {
    const at = `/proc/${pid}/task/${thread}`;
    // The kernel's documentation of scheduler statistics: time on a processor, and waiting for one, in nanoseconds.
    const [ranNs = 0, waitedNs = 0] = orNone(() => readFileSync(`${at}/schedstat`, 'utf8').split(' ').map(Number));
    yield [thread, { ranNs, waitedNs }];
    const children = orNone(() => readFileSync(`${at}/children`, 'utf8').split(' ').filter(Boolean).map(Number));
    for (const child of children) if (!others.has(child)) yield* threadsOf(child, others);
  }
}

function orNone<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch {
    return [];
  }
}
