import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { withCompileCache } from '../../support/compile-cache.ts';
import { pageOf } from '../../bench/document/page.ts';
import type { KeptReport } from '../../bench/support/kept-reports.ts';

const docs = join(root, 'docs');
const writer = join(root, 'test/bench/document/write.ts');

const filesIn = (dir: string): Record<string, string> =>
  Object.fromEntries(
    globSync(['speed.md', 'plots/speed-*.svg'], { cwd: dir })
      .sort()
      .map((file) => [file, readFileSync(join(dir, file), 'utf8')]),
  );

test('docs/speed.md and its plots are as the recorded benches have it (`npm run docs:write` writes them anew)', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookline-docs-'));
  try {
    // Vega is made of ES modules, which jest does not load.
    const write = `await (await import(${JSON.stringify(writer)})).writeSpeedPage(${JSON.stringify(dir)})`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', write], {
      env: { ...process.env, ...withCompileCache },
    });
    expect(filesIn(docs)).toEqual(filesIn(dir));
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('the page leads to files that there are', () => {
  const page = filesIn(docs)['speed.md'] ?? '';
  const links = [...page.matchAll(/\]\(((?!https?:|#)[^)#]+)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !existsSync(join(docs, link)))).toEqual([]);
});

describe('a recorded bench', () => {
  const report = (more: Partial<KeptReport> = {}): KeptReport => ({
    ...{ bench: 'sending', startedAt: '2026-01-02T03:04:05.000Z', again: "make bench ARGS='--only sending'" },
    machine: { node: 'v24', cpus: '2 × Some', memoryGiB: 24, loadBefore: 0.1 },
    setUp: 'one dispatcher',
    figures: [
      {
        ...{ name: 'deliveries', unit: 'a second', values: [500, 700, 600], aim: { atLeast: 0.6 } },
        ceiling: { name: 'loop', values: [1_000, 1_000, 1_500] },
      },
      { name: 'memory', unit: 'MiB', values: [260], aim: { atMost: 250 } },
      { name: 'sent', unit: 'times', values: [3] },
    ],
    notes: ['all arrived', 'a profile:\n  90 %  parsing'],
    unaccounted: [],
    ...more,
  });
  const rowsOf = (page: string, first: string): string[] =>
    page.split('\n').filter((line) => line.startsWith(`| ${first}`));

  it('is a section of all its figures, with the ratio turn by turn', () => {
    const page = pageOf({ stages: [report()], growth: [], peers: [] });
    expect(rowsOf(page, 'deliveries')).toEqual([
      '| deliveries | 600 (500 to 700) a second | loop: 1,000 | 0.5 (0.4 to 0.7) | at least 0.6 | **missed** |',
    ]);
    expect(rowsOf(page, 'sent')).toEqual(['| sent | 3 times |  |  |  |  |']);
    expect(page).toContain('```\na profile:\n  90 %  parsing\n```');
    expect(page).toContain("Again: `make bench ARGS='--only sending'`");
  });

  it('is at a glance what it has an aim for', () => {
    const page = pageOf({ stages: [report()], growth: [], peers: [] });
    expect(rowsOf(page, '[sending]')).toHaveLength(2);
    expect(rowsOf(page, '[sending](#sending): memory')).toEqual([
      '| [sending](#sending): memory | 260 MiB |  |  | at most 250 | **missed** |',
    ]);
  });

  it('says what is not accounted for', () => {
    const page = pageOf({ stages: [report({ unaccounted: ['3 did not arrive'] })], growth: [], peers: [] });
    expect(page).toContain('**Unaccounted for:** 3 did not arrive');
  });

  it('of peers stands in a part of its own, and there is no such part without it', () => {
    const heading = '## Beside its peers';
    const page = pageOf({ stages: [report()], growth: [], peers: [report({ bench: 'peers' })] });
    expect(page.indexOf('### peers')).toBeGreaterThan(page.indexOf(heading));
    expect(rowsOf(page, '[peers](#peers): memory')).toHaveLength(1);
    expect(pageOf({ stages: [report()], growth: [], peers: [] })).not.toContain(heading);
  });
});
