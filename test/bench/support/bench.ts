import type { NamedPlot } from '../../support/plots/named-plot.ts';
import type { Figure } from './figure.ts';

/** A bench that `make bench` knows by its name. */
export interface Bench<Number extends string = string> {
  name: string;
  /** What it says, in a line. */
  says: string;
  /** What can be set, each above 0, with its default. */
  numbers: Readonly<Record<Number, number>>;
  run(begun: BegunBench<Number>): Promise<BenchReport>;
}

export interface BegunBench<Number extends string> {
  numbers: Readonly<Record<Number, number>>;
  /** Whether it is to say where processor time goes, too. */
  profile: boolean;
  say(line: string): void;
}

export interface BenchReport {
  /** What was loaded with what, in words. */
  setUp: string;
  figures: readonly Figure[];
  /** What else there is to say. */
  notes: readonly string[];
  /** What a table does not show. */
  plots?: readonly NamedPlot[];
  /** Of what was sent, what is not where it should be: then no figure counts. Empty where all is. */
  unaccounted: readonly string[];
}
