import type { SoakResult } from './soak.ts';

/** What a run leaves behind: all that its document is written from. */
export interface SoakReport {
  startedAt: string;
  command: string;
  setUp: {
    node: string;
    cpus: string;
    memoryGiB: number;
    /** Of the machine, before anything was started: what else it had to do. */
    loadBefore: number;
    /** Of the services. */
    nodeOptions: string;
  };
  minutes: number;
  everySeconds: number;
  seed: number;
  result: SoakResult;
}
