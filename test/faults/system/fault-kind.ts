import type { Pipeline } from '../../support/pipeline.ts';
import { pipelineServices, type ServiceName } from '../../support/stack.ts';
import type { Havoc } from '../support/havoc.ts';
import type { Bystanders } from './bystanders.ts';
import type { Clocks } from './clocks.ts';
import type { SystemServers } from './servers.ts';

/** Faults of one track follow each other; those of different tracks overlap at random. */
export const tracks = [
  ...pipelineServices,
  'groups',
  'brokers',
  'stores',
  'broker links',
  'other links',
  'locks',
  'machine',
] as const;
type Track = (typeof tracks)[number];

/** Something that is done to the running system, and undone again. */
export interface FaultKind {
  name: string;
  /** A description for the report. */
  says: string;
  track: Track;
  /** Why it can't be done here; undefined: it can. */
  leftOut?(servers: SystemServers): string | undefined;
  inflict(world: FaultWorld): Promise<void>;
}

export interface FaultWorld {
  servers: SystemServers;
  pipeline: Pipeline;
  clocks: Clocks;
  bystanders: Bystanders;
  havoc: Havoc;
  /** The kind's own, so that its choices don't depend on other kinds. */
  random: () => number;
  /** Between two times. In ms. */
  pause(leastMs: number, mostMs: number): Promise<void>;
  /**
   * Has the checker know of it, as of something that explains repetitions; over when `work` is.
   *
   * @param service whose process it is done to; a server's or a link's otherwise
   */
  during(what: string, work: () => Promise<void>, service?: ServiceName): Promise<void>;
}

export function oneOf<T>(items: readonly T[], random: () => number): T {
  const chosen = items[Math.floor(random() * items.length)];
  if (chosen === undefined) throw new Error('of none one can be chosen');
  return chosen;
}
