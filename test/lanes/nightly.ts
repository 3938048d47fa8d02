/**
 * `make test-nightly`: the parts of night-parts.ts, one after the other, each into a log of its own, and one report. A part that was green is
 * not run again before something changes that it runs, so that an interrupted night goes on where it was, and one that was red is mended part
 * by part.
 *
 *   ARGS='--only kafka,dedup'          these parts
 *   ARGS='--for libs/kafka'            the parts of a folder
 *   ARGS='--again'                     also what was green
 *   ARGS='--record'                    keeps what was run here for docs/nightly.md; runs nothing
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hooklineDir, root } from '#deploy/local/paths.ts';
import { type NightPart, nightParts } from './night-parts.ts';
import { keptNights, type Night, recordNight, type RanPart, reportOf } from './nightly-report.ts';

const dir = join(hooklineDir, 'nightly');
const resultsFile = join(dir, 'results.json');
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    for: { type: 'string', default: '' },
    again: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
});

const notRun = ['docs', '*.md', '.github', 'test/unit', 'test/lanes', 'test/images', 'test/documents', 'test/evidence'];

const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const commit = git('rev-parse', '--short=8', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes');
mkdirSync(dir, { recursive: true });

const kept = keptNights(resultsFile);
const night: Night = {
  commit,
  day: new Date().toISOString().slice(0, 10),
  parts: kept?.parts ?? {},
};
if (values.record) {
  if (kept === undefined) {
    console.error('nothing to record: no part has been run in this checkout');
    process.exit(2);
  }
  console.log(`recorded: ${recordNight(kept)}\nnow: npm run docs:write`);
  process.exit();
}
const wanted = wantedParts();
for (const part of wanted) {
  const before = night.parts[part.name];
  if (before !== undefined && !values.again && isStillGreen(part, before)) {
    console.log(`${part.name}: green at ${before.commit} already`);
    continue;
  }
  night.parts = { ...night.parts, [part.name]: await run(part) };
  writeFileSync(resultsFile, `${JSON.stringify(night, null, 2)}\n`);
}
console.log(`\n${reportOf(night)}`);
process.exitCode = wanted.every(({ name }) => night.parts[name]?.failed === 0) ? 0 : 1;

/** Nothing has changed since then that the part runs: documents, tests of the day, and files of other parts are none of that. */
function isStillGreen({ name, args }: NightPart, { commit: at, failed }: RanPart): boolean {
  if (failed > 0 || at.includes(' ') || commit.includes(' ')) return false;
  const excluded = notRun.map((path) => `:(exclude)${path}`);
  const changed = git('diff', '--name-only', at, 'HEAD', '--', '.', ...excluded)
    .split('\n')
    .filter(Boolean);
  // A mutant may be seen by any test.
  if (name === 'mutants') return changed.length === 0;
  return changed.every(
    (file) => file.startsWith('test/faults/mutants/') || (file.endsWith('.test.ts') && !args.includes(file)),
  );
}

function wantedParts(): readonly NightPart[] {
  const names = values.only === '' ? [] : values.only.split(',');
  const unknown = names.filter((name) => !nightParts.some((part) => part.name === name));
  const ofFolder = nightParts.filter(({ folders }) => folders.some((folder) => values.for.startsWith(folder)));
  if (unknown.length > 0) {
    console.error(`there is no part ${unknown.join(', ')}; there are ${nightParts.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  if (values.for !== '') return ofFolder;
  return names.length === 0 ? nightParts : nightParts.filter(({ name }) => names.includes(name));
}

/** Its output goes to a file; what failed is printed with the command that repeats it. */
async function run({ name, args }: NightPart): Promise<RanPart> {
  const log = join(dir, `${name}.log`);
  console.log(`${name} … ${log}`);
  const beganMs = performance.now();
  const output = createWriteStream(log);
  await once(output, 'open');
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', output, output] });
  const [code] = (await once(child, 'close')) as [number | null];
  output.end();
  const minutes = Number(((performance.now() - beganMs) / 60_000).toFixed(1));
  const failures = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => /^(FAILED|VIOLATION|MISSED|UNCLEAR|FAIL at once:)/.test(line));
  const failed = code === 0 ? 0 : Math.max(1, failures.length);
  console.log(`${name}: ${failed === 0 ? 'green' : 'RED'}, ${minutes} min`);
  for (const line of failures) console.log(`  ${line}`);
  if (failed > 0) console.log(`  again: make test-nightly ARGS='--only ${name}'`);
  return { commit, failed, minutes, says: failures.slice(0, 5).join('; ') || (failed > 0 ? `exit code ${code}` : '') };
}
