import type { Fault } from '../checker/history.ts';
import type { PipelineOptions } from '../../support/pipeline.ts';
import type { OwnServers } from './servers.ts';

/** The settings of each run, whether it is begun by hand or by a test. */
export interface RunSettings extends Pick<
  PipelineOptions,
  'servers' | 'topicPrefix' | 'databaseUrl' | 'processes' | 'sessionTimeoutMs'
> {
  seed: number;
  /** The processes' logs go there. */
  dir: string;
  say(line: string): void;
}

/** A run that `make faults` knows by its name. */
export interface FaultRun<Number extends string = string, Servers extends OwnServers = OwnServers> {
  name: string;
  /** Empty if the run has only one scenario. */
  scenarios: readonly { name: string }[];
  /** Numbers that must be above 0, by option name, with their defaults. */
  numbers: Readonly<Record<Number, number>>;
  processes: string;
  /** Its cases have names, and each can be tried alone. */
  hasCases?: boolean;
  startServers(seed: number): Promise<Servers>;
  /** Problems with numbers that are above 0, in words. */
  problemsOf?(numbers: Readonly<Record<Number, number>>): string[];
  run(begun: BegunRun<Number, Servers>): Promise<FaultReport>;
  /** For a run that keeps its evidence: its report by today's rules. @param dir where its logs and run.json are */
  judge?(dir: string): FaultReport;
}

interface BegunRun<Number extends string, Servers extends OwnServers> {
  numbers: Readonly<Record<Number, number>>;
  isWanted(scenario: { name: string }): boolean;
  onlyCase: string | undefined;
  servers: Servers;
  settings: RunSettings;
}

/** The scenario of a result that counts all of a run's scenarios once more, as one. */
export const allTogether = 'all together';

export interface FaultReport {
  results: readonly { scenario: string; violations: readonly string[] }[];
  faults: readonly Fault[];
  /** For people, part by part. */
  tables: readonly string[];
}
