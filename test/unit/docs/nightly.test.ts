import { existsSync, globSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { guarantees } from '../../lanes/guarantees.ts';
import { nightParts } from '../../lanes/night-parts.ts';
import { keptNights, nightlyDocument, recordedNightFile, recordNight } from '../../lanes/nightly-report.ts';

const filesOf = (args: readonly string[]): string[] => args.filter((arg) => arg.endsWith('.night.test.ts'));

test('docs/nightly.md is written from the recorded night', () => {
  expect(readFileSync(join(root, 'docs/nightly.md'), 'utf8')).toBe(nightlyDocument(keptNights(recordedNightFile)));
});

test('every test of the night belongs to one part; the system run has one of its own', () => {
  const inParts = nightParts.flatMap(({ args }) => filesOf(args));
  const all = globSync('test/**/*.night.test.ts', { cwd: root });
  expect(inParts.toSorted()).toEqual(all.filter((file) => !file.includes('system-faults')).toSorted());
});

test('the folders of the parts exist', () => {
  const folders = nightParts.flatMap((part) => part.folders);
  expect(folders.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
});

test('each guarantee has a witness that runs by day, and its proofs are parts of the night', () => {
  const byDay = guarantees.flatMap((guarantee) => guarantee.byDay);
  expect(byDay.filter((file) => file.includes('.night.') || !existsSync(join(root, file)))).toEqual([]);
  expect(guarantees.filter((guarantee) => guarantee.byDay.length === 0)).toEqual([]);
  const names = nightParts.map(({ name }) => name);
  expect(guarantees.flatMap(({ byNight }) => byNight).filter((name) => !names.includes(name))).toEqual([]);
});

test('a part that the night did not run keeps its last record', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'night-')), 'nightly.json');
  const ran = (commit: string) => ({ commit, failed: 0, minutes: 1, says: '' });
  recordNight({ commit: 'b', day: '2026-11-29', parts: { kafka: ran('a'), whole: ran('b') } }, file);
  recordNight({ commit: 'c', day: '2026-11-30', parts: { whole: ran('c') } }, file);
  expect(keptNights(file)).toEqual({ commit: 'c', day: '2026-11-30', parts: { kafka: ran('a'), whole: ran('c') } });
});
