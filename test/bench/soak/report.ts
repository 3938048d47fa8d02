import type { SoakResult } from './soak.ts';

/** A run with all its samples, as it is kept below .hookline/soak. */
export interface SoakReport {
  startedAt: string;
  /** The one that it tested. */
  commit: string;
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
