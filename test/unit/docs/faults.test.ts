import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { withCompileCache } from '../../support/compile-cache.ts';
import { pageOf } from '../../faults/document/page.ts';
import { plotsOf } from '../../faults/document/plots.ts';
import type { NamedRun } from '../../faults/document/recordings.ts';
import { allTogether } from '../../faults/support/fault-run.ts';
import { contentOf, problemsOfName, recordedText } from '../../faults/support/recorded.ts';
import { systemResult } from './system-result.ts';

const docs = join(root, 'docs');
const writer = join(root, 'test/faults/document/write.ts');

const filesIn = (dir: string): Record<string, string> =>
  Object.fromEntries(
    globSync(['faults.md', 'plots/faults-*.svg'], { cwd: dir })
      .sort()
      .map((file) => [file, readFileSync(join(dir, file), 'utf8')]),
  );

test('docs/faults.md and its plots are as the recorded runs have it (`npm run docs:write` writes them anew)', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookline-docs-'));
  try {
    // Vega is made of ES modules, which jest does not load.
    const write = `await (await import(${JSON.stringify(writer)})).writeFaultsPage(${JSON.stringify(dir)})`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', write], {
      env: { ...process.env, ...withCompileCache },
    });
    expect(filesIn(docs)).toEqual(filesIn(dir));
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('what is recorded is small enough to be kept with the code', () => {
  for (const file of globSync(join(root, 'test/faults/recorded/*.json')))
    expect({ file, isSmall: readFileSync(file).length < 150_000 }).toEqual({ file, isSmall: true });
});

test('the page leads to files that there are', () => {
  const page = filesIn(docs)['faults.md'] ?? '';
  const links = [...page.matchAll(/\]\(((?!https?:|#)[^)#]+)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !existsSync(join(docs, link)))).toEqual([]);
});

describe('a recorded run', () => {
  const recorded = (violations: string[] = []): NamedRun => ({
    name: 'short',
    run: {
      ...{ run: 'system', startedAt: '2026-01-02T03:04:05.000Z', replay: "make faults ARGS='--seed 7'", seed: 7 },
      ...{ numbers: { webhooks: 2_000 }, minutes: 1.5, faults: 5, tables: [] },
      setUp: { node: 'v24', cpus: '2', memoryGiB: 24, processes: 'two of each' },
      results: [{ scenario: 'system', ...systemResult, violations }],
    },
  });
  const rowOf = (page: string, first: string): string | undefined =>
    page.split('\n').find((line) => line.startsWith(`| ${first}`));

  it('is read as it was written, with what never ended', () => {
    const text = recordedText(recorded());

    expect(contentOf(text)).toEqual(recorded());
    expect(text).toContain('"recoveriesMs": [ 400, 20000, "never" ]');
  });

  it('is a row, and a section with its faults and how to repeat it', () => {
    const page = pageOf({ runs: [recorded()] });

    expect(rowOf(page, '[short]')).toBe(
      '| [short](#short): system | webhooks 2,000 | 2,000 | 0 | 0 | 0 | 0 of 9 | 4 of 4 | 0 | 1.5 | 7 | 2026-01-02 |',
    );
    expect(rowOf(page, 'dedup-killed')).toBe('| dedup-killed | kill -9 | 3 | 12 | 20.0 | **never** | **never** |');
    expect(page).toContain("```\nmake faults ARGS='--seed 7'\n```");
  });

  it('counts a run once that has judged its scenarios together as well', () => {
    const { run, ...named } = recorded();
    const counted = (scenario: string, accepted: number) => ({ scenario, accepted, violations: [] });
    const results = [counted('killed', 3), counted('hangs', 4), counted(allTogether, 7)];
    const page = pageOf({ runs: [{ ...named, run: { ...run, run: 'receiving', results } }] });

    expect(rowOf(page, '[short]')).toContain('| webhooks 2,000 | 7 |');
  });

  it('shows in bold what it has violated', () => {
    const page = pageOf({ runs: [recorded(['lost-write 1'])] });

    expect(rowOf(page, '[short]')).toContain('| **?** of 4 | **1** |');
    expect(page).toContain('**1 violation**');
    expect(page).toContain('```\nlost-write 1\n```');
  });

  it('is drawn: what never ended is in no line, but in the share', () => {
    const [traffic, latency, recovery] = plotsOf(recorded()).map(({ plot }) => plot);

    expect(traffic?.series[0]?.points).toEqual([
      [0, 0.6],
      [1 / 6, 0],
      [1 / 3, 0.6],
    ]);
    expect(latency?.series.map(({ points }) => points)).toEqual([
      [
        [0, 0.5],
        [1 / 3, 2],
      ],
      [[0, 3]],
    ]);
    const [processes, clocks] = recovery?.series ?? [];
    expect(processes?.name).toBe('processes: 3');
    expect(processes?.points.at(-1)).toEqual([20, 66.7]);
    expect(clocks?.points).toEqual([
      [0.1, 0],
      [0.1, 0],
      [0.1, 100],
      [20, 100],
    ]);
  });
});

test.each(['Hour', 'an hour', '../hour', '', 'mutants'])('no run is recorded as "%s"', (name) => {
  expect(problemsOfName(name)).toHaveLength(1);
});
