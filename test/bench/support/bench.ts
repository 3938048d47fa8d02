import type { NamedPlot } from '../../support/plots/named-plot.ts';
import type { ComparedFigure, Figure } from './figure.ts';

/** A bench that `make bench` knows by its name. */
export interface Bench<Number extends string = string> {
  name: string;
  /** Its description, in a line. */
  says: string;
  /** Its settings, each above 0, with their defaults. */
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
  /** The set-up in words: what was loaded with what. */
  setUp: string;
  figures: readonly Figure[];
  /** The systems side by side, where the bench compares several. */
  compared?: readonly ComparedFigure[];
  /** Further remarks. */
  notes: readonly string[];
  /** Plots of what a table does not show. */
  plots?: readonly NamedPlot[];
  /** Sent items that are missing: then no figure counts. Empty if all is well. */
  unaccounted: readonly string[];
}
