import type { Pipeline } from '../../support/pipeline.ts';
import type { Havoc } from '../support/havoc.ts';
import type { SystemServers } from './servers.ts';

/** Faults of one track come one after the other; those of different tracks fall together as they will. */
export const tracks = ['doors', 'workers', 'dispatchers', 'brokers', 'stores', 'links'] as const;
export type Track = (typeof tracks)[number];

/** Something that is done to the running system, and undone again. */
export interface FaultKind {
  name: string;
  /** What is done, for the report. */
  says: string;
  track: Track;
  inflict(world: FaultWorld): Promise<void>;
}

export interface FaultWorld {
  servers: SystemServers;
  pipeline: Pipeline;
  havoc: Havoc;
  /** The kind's own: what it chooses does not depend on what goes on beside it. */
  random: () => number;
  /** Between two times. In ms. */
  pause(leastMs: number, mostMs: number): Promise<void>;
  /** Has the checker know of it, as of something that explains repetitions; over when `work` is. */
  during(what: string, work: () => Promise<void>): Promise<void>;
}

export const oneOf = <T>(items: readonly [T, ...T[]], random: () => number): T =>
  items[Math.floor(random() * items.length)] ?? items[0];
