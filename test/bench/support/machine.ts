import { cpus, loadavg, totalmem } from 'node:os';
import type { Machine } from './kept-reports.ts';

/** As it is now: to be asked before anything is started. */
export function machineNow(): Machine {
  const [loadBefore = 0] = loadavg();
  return {
    node: process.version,
    cpus: `${cpus().length} × ${cpus()[0]?.model}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    loadBefore,
  };
}

export const describeMachine = ({ cpus: processors, memoryGiB, node, loadBefore }: Machine): string =>
  `${processors}, ${memoryGiB} GiB, Node ${node}, load before ${loadBefore.toFixed(1)}`;
