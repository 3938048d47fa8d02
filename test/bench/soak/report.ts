import type { SoakResult } from './soak.ts';

/** The result of a run: its document is written from it alone. */
export interface SoakReport {
  startedAt: string;
  command: string;
  setUp: {
    node: string;
    cpus: string;
    memoryGiB: number;
    /** The machine's load before anything was started. */
    loadBefore: number;
    /** Node's options for the services. */
    nodeOptions: string;
  };
  minutes: number;
  everySeconds: number;
  seed: number;
  result: SoakResult;
}
