import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { ProcessSample } from './sample.ts';

const timeoutMs = 5_000;
const mib = 2 ** 20;

/** The present usage of a process, by the kernel and by its own metrics. @throws Error if it is gone, or does not tell all */
export async function usageOf(pid: number, metricsUrl: string): Promise<ProcessSample> {
  const answer = await fetch(metricsUrl, { signal: AbortSignal.timeout(timeoutMs) });
  if (!answer.ok) throw new Error(`${metricsUrl} answered ${answer.status}`);
  const text = await answer.text();
  const metric = (name: string): number => {
    const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
    if (value === undefined) throw new Error(`${metricsUrl} has no ${name}`);
    return Number(value);
  };
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const inStatus = (name: string): number => {
    const [, value] = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status) ?? [];
    if (value === undefined) throw new Error(`/proc/${pid}/status has no ${name}`);
    return Number(value);
  };
  const handles = handlesOf(pid);
  const established = establishedSockets(pid);
  return {
    residentMib: inStatus('VmRSS') / 1_024,
    heapMib: metric('nodejs_heap_size_used_bytes') / mib,
    externalMib: metric('nodejs_external_memory_bytes') / mib,
    handles: handles.length,
    connections: handles.filter((target) => established.has(target)).length,
    threads: inStatus('Threads'),
    loopLagP99Ms: metric('nodejs_eventloop_lag_p99_seconds') * 1_000,
    processorSeconds: metric('process_cpu_seconds_total'),
  };
}

/** The target of each open file handle: `socket:[4711]`, `/dev/null`. */
function handlesOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((handle) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${handle}`)];
    } catch {
      // Closed since.
      return [];
    }
  });
}

/** Sockets of all processes that share the network with this one, as its handles name them. */
function establishedSockets(pid: number): Set<string> {
  const established = '01';
  const lines = ['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n'));
  return new Set(
    lines.flatMap((line) => {
      const fields = line.trim().split(/\s+/);
      return fields[3] === established ? [`socket:[${fields[9]}]`] : [];
    }),
  );
}
