/** One of the things that a run does to the system, with what is sent meanwhile. */
export interface Scenario<Means, Seen> {
  name: string;
  /** A description for the report. */
  says: string;
  /** The share of everything that the run sends. */
  share: number;
  /** The time that the faults take, about; the sends are spread over it. */
  seconds(turns: number): number;
  inflict(means: Means): Promise<void>;
  /** Needs servers of the run's own. */
  needs?: 'postgres' | 'kafka';
  /** Checks that the faults reached their target. @returns what is missing, in words */
  expects?(seen: Seen): string[];
}
