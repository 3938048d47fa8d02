import { writeFileSync } from 'node:fs';
import { parse, View } from 'vega';
import { compile } from 'vega-lite';
import type { Plot } from './plot.ts';
import { specOf } from './spec-of.ts';

/** Draws a plot into an SVG file; the same plot gives the same bytes. @throws Error where there is nothing to draw, or a value that can't be drawn */
export async function writePlot(file: string, plot: Plot): Promise<void> {
  const view = new View(parse(compile(specOf(plot)).spec), { renderer: 'none' });
  try {
    writeFileSync(file, `${await view.toSVG()}\n`);
  } finally {
    view.finalize();
  }
}
