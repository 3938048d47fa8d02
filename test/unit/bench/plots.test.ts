import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Plot } from '../../support/plots/plot.ts';
import { specOf } from '../../support/plots/spec-of.ts';

const plot = (changed: Partial<Plot> = {}): Plot => ({
  title: 'Memory',
  x: { title: 'minutes' },
  y: { title: 'MiB' },
  series: [
    {
      name: 'dedup',
      points: [
        [0, 100],
        [1, 101],
      ],
    },
  ],
  ...changed,
});
const ofOne = (x: number, y: number): Plot['series'] => [{ name: 'dedup', points: [[x, y]] }];
const writer = resolve(import.meta.dirname, '../../support/plots/write-plot.ts');
const drawn = plot({
  series: [
    ...plot().series,
    {
      name: 'expected',
      points: [
        [0, 100],
        [1, 110],
      ],
      dashed: true,
    },
  ],
  marks: [{ x: 0.5, label: 'judged' }],
});

describe('a plot', () => {
  it('has every point of every series', () => {
    const { data } = specOf(plot({ series: [...plot().series, { name: 'api', points: [[0, 7]], as: 'points' }] }));
    expect(data).toEqual({
      values: [
        { x: 0, y: 100, name: 'dedup', as: 'line', dashed: false },
        { x: 1, y: 101, name: 'dedup', as: 'line', dashed: false },
        { x: 0, y: 7, name: 'api', as: 'points', dashed: false },
      ],
    });
  });

  it.each<[string, Partial<Plot>]>([
    ['nothing to draw', { series: [] }],
    ['a value that is none', { series: ofOne(0, Number.NaN) }],
    ['0 on a logarithmic axis', { y: { title: 'ms', log: true }, series: ofOne(1, 0) }],
    [
      'more series than there are colours',
      { series: Array.from({ length: 10 }, (_, index) => ({ name: String(index), points: [[0, 1]] as const })) },
    ],
  ])('is refused with %s', (_, changed) => {
    expect(() => specOf(plot(changed))).toThrow(/^Memory/);
  });

  it('is drawn in one process as often as one likes, with the same bytes', () => {
    const dir = mkdtempSync(join(tmpdir(), 'hookline-plots-'));
    try {
      const files = ['one.svg', 'two.svg'].map((name) => join(dir, name));
      // Vega is made of ES modules, which jest does not load.
      const draw =
        `const { writePlot } = await import(${JSON.stringify(writer)});` +
        `for (const file of ${JSON.stringify(files)}) await writePlot(file, ${JSON.stringify(drawn)});`;
      execFileSync(process.execPath, ['--input-type=module', '--eval', draw]);
      const [first = '', second] = files.map((file) => readFileSync(file, 'utf8'));
      expect(second).toBe(first);
      expect(first).toMatch(/^<svg [^]*<\/svg>\n$/);
      for (const text of ['Memory', 'minutes', 'MiB', 'dedup', 'expected', 'judged'])
        expect(first).toContain(`>${text}</text>`);
      expect(first.match(/stroke-dasharray="6,4"/g)).toHaveLength(1);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
