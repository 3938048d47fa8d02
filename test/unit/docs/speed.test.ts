import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { withCompileCache } from '../../support/compile-cache.ts';
import { pageOf } from '../../bench/document/page.ts';
import { withPeersSentence } from '../../bench/document/peers-sentence.ts';
import { peersName } from '../../bench/peers/report.ts';
import { type KeptReport, recordedReports } from '../../bench/support/kept-reports.ts';

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

test('the sentence about cost in README.md is as the recorded comparison has it (`npm run docs:write` writes it anew)', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [recorded] = recordedReports([peersName]);
  expect(recorded && withPeersSentence(readme, recorded)).toBe(readme);
});

test('the sentence has both layouts, where both were measured', () => {
  const figure = (system: string, name: string, value: number) => ({
    name: `${system}: processor time${name}`,
    unit: 'ms',
    values: [value],
    ceiling: { name: 'svix', values: [2] },
  });
  const of = (system: string, low: number, full: number) => [
    figure(system, ' at 100 a second', low),
    figure(system, ', 64 connections', full),
  ];
  const separate = [...of('hookline-webhooks', 3, 2), ...of('hookline-events', 4, 3)];
  const one = [...of('hookline-one-webhooks', 2, 1), ...of('hookline-one-events', 2.2, 1.8)];
  const readme = 'Before.\nX. [Measured beside Svix and Outpost](docs/speed.md#peers), as it was.\nAfter.\n';
  const sentence = (figures: KeptReport['figures']): string =>
    withPeersSentence(readme, { figures } as unknown as KeptReport);
  const ofSeparate =
    "Before.\nX. [Measured beside Svix and Outpost](docs/speed.md#peers), a webhook takes 1.5 times the cheaper peer's processor time at 100 a second " +
    'and 1 times at full load, an event 2 and 1.5';

  expect(sentence(separate)).toBe(`${ofSeparate}.\nAfter.\n`);
  expect(sentence([...separate, ...one])).toBe(`${ofSeparate}; in one process 1 and 0.5, and 1.1 and 0.9.\nAfter.\n`);
  expect(() => withPeersSentence('none', { figures: separate } as unknown as KeptReport)).toThrow('has no sentence');
});

test('the page leads to files that there are', () => {
  const page = filesIn(docs)['speed.md'] ?? '';
  const links = [...page.matchAll(/\]\(((?!https?:|#)[^)#]+)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !existsSync(join(docs, link)))).toEqual([]);
});

describe('a recorded bench', () => {
  const report = (more: Partial<KeptReport> = {}): KeptReport => ({
    bench: 'sending',
    startedAt: '2026-01-02T03:04:05.000Z',
    commit: '0123abcd',
    again: "make bench ARGS='--only sending'",
    machine: { node: 'v24', cpus: '2 × Some', memoryGiB: 24, loadBefore: 0.1 },
    setUp: 'one dispatcher',
    figures: [
      {
        name: 'deliveries',
        unit: 'a second',
        values: [500, 700, 600],
        aim: { atLeast: 0.6 },
        ceiling: { name: 'loop', values: [1_000, 1_000, 1_500] },
      },
      { name: 'memory', unit: 'MiB', values: [260], aim: { atMost: 250 } },
      { name: 'sent', unit: 'times', values: [3] },
      { name: 'turns', unit: 'a delivery', values: [2], isDetail: true },
    ],
    notes: ['all arrived', 'a profile:\n  90 %  parsing'],
    unaccounted: [],
    ...more,
  });
  const rowsOf = (page: string, first: string): string[] =>
    page.split('\n').filter((line) => line.startsWith(`| ${first}`));

  it('is a section of its figures but the details, with the ratio turn by turn', () => {
    const page = pageOf({ stages: [report()], growth: [], peers: [] });
    expect(rowsOf(page, 'deliveries')).toEqual([
      '| deliveries | 600 (500 to 700) a second | loop: 1,000 | 0.5 (0.4 to 0.7) | at least 0.6: **missed** |',
    ]);
    expect(rowsOf(page, 'memory')).toEqual(['| memory | 260 MiB |  |  | at most 250: **missed** |']);
    expect(rowsOf(page, 'sent')).toEqual(['| sent | 3 times |  |  |  |']);
    expect(rowsOf(page, 'turns')).toEqual([]);
    expect(page).toContain('One dispatcher. 2026-01-02, commit 0123abcd, on 2 × Some, 24 GiB, Node v24.');
    expect(page).not.toContain('parsing');
  });

  it('says what is not accounted for', () => {
    const page = pageOf({ stages: [report({ unaccounted: ['3 did not arrive'] })], growth: [], peers: [] });
    expect(page).toContain('**Unaccounted for:** 3 did not arrive');
  });

  it('of growth is a row: the cost with little, with much, and the ratio', () => {
    const figure = { name: 'with 9 sources', unit: 'µs', values: [130], aim: { atMost: 1.2 } };
    const figures = [{ ...figure, ceiling: { name: 'with 1', values: [100] } }];
    const page = pageOf({ stages: [], growth: [report({ bench: 'sources', figures })], peers: [] });
    expect(rowsOf(page, 'sources')).toEqual([
      '| sources | µs | 1: 100 | 9 sources: 130 | 1.3 | **missed** | 2026-01-02 | 0123abcd |',
    ]);
  });

  it('of peers says who leads, by the best of Hookline’s, and whether each aim was held', () => {
    const cost = {
      ...({ name: 'processor time', unit: 'ms', better: 'less' } as const),
      values: { outpost: [4], svix: [5], 'hookline-webhooks': [3], 'hookline-events': [12] },
    };
    const rate = {
      ...({ name: 'sustained', unit: 'a second', better: 'more' } as const),
      values: { outpost: [300], svix: [200, 400, 600], 'hookline-webhooks': [100], 'hookline-events': [50] },
    };
    const lost = {
      ...({ name: 'lost', unit: 'events', better: 'less' } as const),
      values: { outpost: [0], 'hookline-webhooks': [0], 'hookline-events': [0] },
    };
    const alone = { name: 'at rest', unit: '%', better: 'less', values: { 'hookline-webhooks': [9] } } as const;
    const neither = { name: 'own', unit: 'ms', values: { outpost: [1], 'hookline-webhooks': [1] } };
    const compared = [cost, rate, lost, alone, neither];
    const ceiling = { name: 'outpost', values: [4] };
    const figures = [
      { name: 'hookline-webhooks: processor time', unit: 'ms', values: [3], ceiling, aim: { atMost: 0.8 } },
      { name: 'hookline-events: processor time', unit: 'ms', values: [12], ceiling, aim: { atMost: 0.8 } },
      { name: 'hookline-webhooks: sustained', unit: 'a second', values: [100] },
    ];
    const page = pageOf({ stages: [report()], growth: [], peers: [report({ bench: 'peers', compared, figures })] });

    expect(page.indexOf('## Peers')).toBeLessThan(page.indexOf('## Stages'));
    expect(page).toContain('- **Hookline leads** in 1 of 3 figures: processor time.');
    expect(page).toContain("- **A peer leads** in 1. The widest gaps, to the best of Hookline's: sustained (4 times).");
    expect(page).toContain('- Both are equal in 1.');
    expect(rowsOf(page, 'figure | Outpost')).toEqual([
      '| figure | Outpost | Svix | Hookline, webhooks received | Hookline, events published |',
    ]);
    expect(rowsOf(page, 'processor')).toEqual([
      '| processor time, ms | 4 | 5 | **3** | 12 |',
      '| processor time | 0.75 of outpost (≤ 0.8): held | 3 of outpost (≤ 0.8): **missed** |',
    ]);
    expect(rowsOf(page, 'sustained')).toEqual(['| sustained, a second | 300 | **400** (200 to 600) | 100 | 50 |']);
    expect(rowsOf(page, 'lost')).toEqual(['| lost, events | **0** | – | **0** | **0** |']);
    expect(rowsOf(page, 'at rest')).toEqual(['| at rest, % | – | – | **9** | – |']);
    expect(rowsOf(page, 'own')).toEqual([]);
    expect(page).toContain('- all arrived');
    expect(page).not.toContain('parsing');
  });
});
