import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, View } from 'vega';
import { compile } from 'vega-lite';
import { type NamedPlot, plotFile } from './named-plot.ts';
import type { Plot } from './plot.ts';
import { specOf } from './spec-of.ts';

/**
 * Draws a plot into an SVG file; the same plot gives the same bytes.
 *
 * @public a test draws with it in its own process
 * @throws Error if there is nothing to draw, or a value can't be drawn
 */
export const writePlot = async (file: string, plot: Plot): Promise<void> => writeFileSync(file, await svgOf(plot));

/** Writes all plots of a document to docs/plots, and removes old ones. @throws like `writePlot` */
export async function writePlots(docs: string, document: string, plots: readonly NamedPlot[]): Promise<void> {
  mkdirSync(join(docs, 'plots'), { recursive: true });
  for (const old of globSync(`plots/${document}-*.svg`, { cwd: docs })) rmSync(join(docs, old));
  for (const plot of plots) await writePlot(join(docs, plotFile(document, plot)), plot.plot);
}

/** The SVG that `writePlot` writes. */
async function svgOf(plot: Plot): Promise<string> {
  const view = new View(parse(compile(specOf(plot)).spec), { renderer: 'none' });
  try {
    return `${await view.toSVG()}\n`;
  } finally {
    view.finalize();
  }
}
