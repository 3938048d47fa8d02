import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { growthNames, stageNames } from '../../bench/benches.ts';
import { documentOf } from '../../bench/soak/document.ts';
import { recordedSoak } from '../../bench/soak/recorded.ts';
import type { SoakSummary } from '../../bench/soak/summary.ts';
import { isMet } from '../../bench/support/figure.ts';
import { recordedReports } from '../../bench/support/kept-reports.ts';
import { readEvidence } from '../../evidence/evidence.ts';
import { evidencePage } from '../../evidence/page.ts';
import { resultOf } from '../../evidence/results.ts';
import { readRecordings, violationsOf } from '../../faults/document/recordings.ts';

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('docs/evidence.md', () => {
  const rows = readEvidence();

  it('is as the recorded runs have it (`npm run docs:write` writes it anew)', () => {
    expect(textOf('docs/evidence.md')).toBe(evidencePage(rows));
  });

  it('has a result, its day and its commit of each run, and each run once', () => {
    for (const row of rows) {
      const { day, commit } = resultOf(row);
      expect(`${row.name}: ${day}`).toMatch(/: \d{4}-\d\d-\d\d$/);
      expect(`${row.name}: ${commit}`).toMatch(/: [0-9a-f]{8}(, changed)?$/);
    }
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });

  it('has a row for everything that is recorded', () => {
    const named = (from: string[]): string[] =>
      rows.flatMap((row) => (row.from !== undefined && from.includes(row.from) ? [row.name] : []));
    const recorded = (folder: string): string[] =>
      globSync('*.json', { cwd: join(root, folder) }).map((file) => basename(file, '.json'));

    expect(named(['faults', 'mutants'])).toEqual(expect.arrayContaining(recorded('test/faults/recorded')));
    expect([...named(['bench', 'soak']), ...growthNames]).toEqual(
      expect.arrayContaining(recorded('test/bench/recorded')),
    );
  });

  it('leads to sections and files that there are', () => {
    for (const [, file = '', anchor] of textOf('docs/evidence.md').matchAll(/\]\(([^)#]+)(?:#([^)]+))?\)/g)) {
      expect({ file, isThere: existsSync(join(root, 'docs', file)) }).toEqual({ file, isThere: true });
      if (anchor !== undefined)
        expect(textOf(`docs/${file}`)).toMatch(new RegExp(`^##+ ${anchor.replaceAll('-', '[- ]')}$`, 'im'));
    }
  });

  it('shows a result by hand until its run has recorded one', () => {
    const byHand = { result: 'it held', day: '2026-01-02', commit: '0123abcd' };
    const row = { holds: 'A claim', command: 'make faults' };

    expect(resultOf({ ...row, name: 'not-recorded', from: 'faults', ...byHand })).toEqual(byHand);
    expect(resultOf({ ...row, name: 'half-hour', from: 'faults', ...byHand }).result).toContain('faults survived');
    expect(() => resultOf({ ...row, name: 'not-recorded' })).toThrow('not-recorded has no result');
  });

  it('says of each recorded run that it broke a guarantee or missed an aim, and of no other', () => {
    const told = (from: string): string[] =>
      rows.flatMap((row) => (row.from === from && resultOf(row).result.includes('**missed') ? [row.name] : []));
    const isIn = (folder: string, names: readonly string[]): string[] =>
      names.filter((name) => existsSync(join(root, folder, `${name}.json`)));

    const violated = readRecordings().runs.filter(({ run }) => violationsOf(run).length > 0);
    expect(isIn('test/faults/recorded', told('faults')).sort()).toEqual(violated.map(({ name }) => name).sort());
    const behind = recordedReports([...stageNames, 'peers']).filter(({ figures }) =>
      figures.some((figure) => isMet(figure) === false),
    );
    expect(isIn('test/bench/recorded', told('bench')).sort()).toEqual(behind.map(({ bench }) => bench).sort());
    const grown = recordedReports(growthNames).filter(({ figures }) => figures.some((each) => isMet(each) === false));
    const growth = rows.find(({ name }) => name === 'growth');
    for (const { bench } of grown) expect(growth && resultOf(growth).result).toContain(`**missed** by ${bench}`);
  });
});

describe('docs/soak.md', () => {
  const summary = recordedSoak() as SoakSummary;

  it('is as the recorded run has it (`npm run docs:write` writes it anew)', () => {
    expect(textOf('docs/soak.md')).toBe(documentOf(summary));
  });

  it('shows in bold what has grown, and every violation', () => {
    const series = summary.series.map((each, index) => ({ ...each, isFlat: index > 0 }));
    const page = documentOf({ ...summary, series, violations: ['memory of ingress grows'] });

    expect(page).toMatch(/^\| memory \| \*\*ingress .*\*\*, dedup .* \| \*\*grows\*\* \|$/m);
    expect(page).toContain('**1 violation:**\n\n- memory of ingress grows');
  });
});
