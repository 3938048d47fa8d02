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
import type { Result } from '../../faults/mutants/results.ts';
import { contentOf, problemsOfName, type RecordedRun, recordedText } from '../../faults/support/recorded.ts';
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
      run: 'system',
      startedAt: '2026-01-02T03:04:05.000Z',
      commit: '0123abcd',
      replay: 'make faults',
      seed: 7,
      numbers: { webhooks: 2_000 },
      minutes: 1.5,
      faults: 5,
      tables: [],
      setUp: { node: 'v24', cpus: '2', memoryGiB: 24, processes: 'two of each' },
      results: [{ scenario: 'system', ...systemResult, violations }],
    },
  });
  const counted = (scenario: string, accepted: number) => ({ scenario, accepted, violations: [] });
  const receiving = (name: string, results: RecordedRun['results'], more: Partial<RecordedRun> = {}): NamedRun => ({
    name,
    run: { ...recorded().run, run: 'receiving', results, ...more },
  });
  const rowOf = (page: string, first: string): string | undefined =>
    page.split('\n').find((line) => line.startsWith(`| ${first}`));

  it('is read as it was written, with what never ended', () => {
    const text = recordedText(recorded());

    expect(contentOf(text)).toEqual(recorded());
    expect(text).toContain('"recoveriesMs": [ 400, 20000, "never" ]');
  });

  it('is a row, and a section with its faults by group', () => {
    const page = pageOf({ runs: [recorded()] });

    expect(rowOf(page, '[short]')).toBe('| [short](#short) | 2,000 | 0 | 0 | 0 | 0 of 9 | 4 of 4 | 0 | 0 | 1.5 |');
    expect(page).toContain('The run `system` on 2026-01-02 at commit 0123abcd, 1.5 minutes, seed 7: no violation.');
    expect(rowOf(page, 'processes')).toBe('| processes | dedup-killed 3 | 3 | 12 | 20.0 | **never** |');
    expect(rowOf(page, 'clocks')).toBe('| clocks | api-clock-steps 1 | 1 | 0 | 0.0 | 0.0 |');
  });

  it('counts a run once that has judged its scenarios together as well', () => {
    const results = [counted('killed', 3), counted('hangs', 4), counted(allTogether, 7)];
    const page = pageOf({ runs: [receiving('short', results)] });

    expect(rowOf(page, '[short]')).toMatch(/^\| \[short\]\(#short\) \| 7 \|/);
  });

  it('shows in bold what it has violated', () => {
    const page = pageOf({ runs: [recorded(['lost-write 1'])] });

    expect(rowOf(page, '[short]')).toContain('| **?** of 4 | 0 | **1** |');
    expect(page).toContain('**1 violation**');
    expect(page).toContain('```\nlost-write 1\n```');
  });

  it('has no section once a later run has done as much, but a row that leads to its record', () => {
    const later = { startedAt: '2026-01-03T00:00:00.000Z' };
    const [killed, both] = [[counted('killed', 3)], [counted('killed', 3), counted('hangs', 4)]];
    const page = pageOf({ runs: [receiving('first', killed), receiving('second', both, later)] });
    const kept = pageOf({ runs: [receiving('first', both), receiving('second', killed, later)] });

    expect(rowOf(page, '[first]')).toContain('[first](../test/faults/recorded/first.json)');
    expect(page.match(/^## \w+/gm)).toEqual(['## second']);
    expect(kept.match(/^## \w+/gm)).toEqual(['## first', '## second']);
  });

  it('leaves a long table to the record, but for the line that sums it up', () => {
    const table = [...Array.from({ length: 20 }, (_, index) => `row ${index}`), 'the sum'].join('\n');
    const page = pageOf({ runs: [receiving('short', [counted('killed', 3)], { tables: [table, 'a short one'] })] });

    expect(page).toContain('```\n… 20 lines, in the record\nthe sum\n```');
    expect(page).toContain('```\na short one\n```');
  });

  it('is drawn', () => {
    const [plot, ...others] = plotsOf(recorded());

    expect(others).toEqual([]);
    expect(plot?.plot.series[0]?.points).toEqual([
      [0, 0.6],
      [1 / 6, 0],
      [1 / 3, 0.6],
    ]);
  });
});

describe('the mutants', () => {
  const trial = (mutant: string, check: string, more: Partial<Result> = {}): Result => ({
    mutant,
    lane: 'day',
    check,
    verdict: 'seen',
    says: 'said',
    seconds: 3,
    budgetSeconds: 9,
    triedAt: '2026-01-02T03:04:05.000Z',
    ...more,
  });
  const results = [
    trial('one', 'test/unit/a.test.ts'),
    trial('one', '--run receiving killed', { lane: 'night' }),
    trial('two', 'test/unit/b.test.ts', { verdict: 'clean' }),
    trial('three', '--run receiving killed', { lane: 'night' }),
  ];
  const untried = [{ mutant: 'three', lane: 'day' as const }];
  const page = pageOf({ runs: [], mutants: { commit: '0123abcd', listed: 3, untried, results } });

  it('are counted by lane and by what has seen them; one with two checks, once both have seen it', () => {
    expect(page).toContain('Last trial on 2026-01-02: 1 of 3 defects seen, 1 by day, 1 not tried.');
    expect(page).toContain('| a test of test/unit | day | 2 | 1 | 6 |\n| a fault run | night | 2 | 2 | 6 |');
  });

  it('have each a row for each of their checks, with the last result', () => {
    expect(page).toContain(
      `| one | day | test/unit/a.test.ts | seen in 3 s |
| one | night | --run receiving killed | seen in 3 s |
| two | day | test/unit/b.test.ts | **not seen**: said |
| three | night | --run receiving killed | seen in 3 s |
| three | day |  | not tried |`,
    );
  });
});

test.each(['Hour', 'an hour', '../hour', '', 'mutants'])('no run is recorded as "%s"', (name) => {
  expect(problemsOfName(name)).toHaveLength(1);
});
