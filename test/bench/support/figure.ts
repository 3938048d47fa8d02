import { median } from './median.ts';

/** One thing that a bench measures, turn by turn. */
export interface Figure {
  name: string;
  unit: string;
  values: readonly number[];
  /** The best possible values, measured in the same turns: value by value. */
  ceiling?: { name: string; values: readonly number[] };
  /** An aim for the median, of the ratio to the ceiling if there is one. */
  aim?: { atLeast: number } | { atMost: number };
  /** For comparison with other runs alone: left out of docs/speed.md. */
  isDetail?: true;
}

/** One thing that is measured of several systems, turn by turn. */
export interface ComparedFigure {
  name: string;
  unit: string;
  values: Readonly<Record<string, readonly number[]>>;
  /** The better direction. Undefined: neither. */
  better?: 'less' | 'more';
}

export interface Spread {
  median: number;
  least: number;
  most: number;
}

/** The judged values: the ratio to the ceiling, turn by turn, or the value itself if there is no ceiling. */
export function judgedOf({ values, ceiling }: Figure): Spread {
  return spreadOf(
    ceiling === undefined ? values : values.map((value, turn) => value / (ceiling.values[turn] ?? Number.NaN)),
  );
}

export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  least: Math.min(...values),
  most: Math.max(...values),
});

/** Undefined: there is no aim. */
export function isMet(figure: Figure): boolean | undefined {
  const { aim } = figure;
  if (aim === undefined) return undefined;
  const reached = judgedOf(figure).median;
  return 'atLeast' in aim ? reached >= aim.atLeast : reached <= aim.atMost;
}

/** Four digits that count, and no more. */
export const shortNumber = (value: number): string =>
  Math.abs(value) >= 1_000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));

export function describeFigure(figure: Figure): string {
  const { name, unit, values, ceiling, aim } = figure;
  const measured = `${name}: ${shortNumber(median(values))} ${unit}`;
  const judged = judgedOf(figure);
  const range = values.length > 1 ? ` (${shortNumber(judged.least)} to ${shortNumber(judged.most)})` : '';
  const beside =
    ceiling === undefined
      ? range
      : `; ${ceiling.name} ${shortNumber(median(ceiling.values))}: ${shortNumber(judged.median)} of it${range}`;
  if (aim === undefined) return measured + beside;
  const wanted = 'atLeast' in aim ? `at least ${aim.atLeast}` : `at most ${aim.atMost}`;
  return `${measured}${beside}; aim ${wanted}: ${isMet(figure) === true ? 'met' : 'MISSED'}`;
}
