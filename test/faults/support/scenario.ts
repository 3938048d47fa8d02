/** One of the things that a run does to the system, with what is sent meanwhile. */
export interface Scenario<Means, Seen> {
  name: string;
  /** What is done, for the report. */
  says: string;
  /** Of all that the run sends. */
  share: number;
  /** What the faults take, about; what is sent is spread over it. */
  seconds(turns: number): number;
  inflict(means: Means): Promise<void>;
  /** Needs servers of the run's own. */
  needs?: 'postgres' | 'kafka';
  /** What must be seen, or the faults did not reach what they were meant for. In words, what is missing. */
  expects?(seen: Seen): string[];
}
