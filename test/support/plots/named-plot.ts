import type { Plot } from './plot.ts';

/** A plot that stands in a document. */
export interface NamedPlot {
  name: string;
  /** A sentence for readers who can't see it. */
  alt: string;
  plot: Plot;
}

/** Its file, from docs/. */
export const plotFile = (document: string, { name }: NamedPlot): string => `plots/${document}-${name}.svg`;

/** The plots as the document shows them. */
export const imagesOf = (document: string, plots: readonly NamedPlot[]): string =>
  plots.map((plot) => `![${plot.alt}](${plotFile(document, plot)})`).join('\n\n');
