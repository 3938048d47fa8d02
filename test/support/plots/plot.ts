/** The content of a plot; `spec-of.ts` decides the look. */
export interface Plot {
  title: string;
  /** A sentence below the title, where the title does not say all. */
  subtitle?: string;
  x: Axis;
  y: Axis;
  series: readonly PlottedSeries[];
  /** The start or end of something: a dashed line with its name at the top. */
  marks?: readonly { x: number; label: string }[];
}

export interface Axis {
  /** With the unit. */
  title: string;
  /** Logarithmic; then every value must be above 0. Default: linear, and for `y` from 0 on. */
  log?: boolean;
}

export interface PlottedSeries {
  name: string;
  points: readonly Point[];
  /** `points` where nothing is known between two of them. Default: a line. */
  as?: 'line' | 'points';
  /** An expectation, not a measurement. */
  dashed?: boolean;
}

export type Point = readonly [x: number, y: number];
