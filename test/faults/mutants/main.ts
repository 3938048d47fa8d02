/**
 * `make faults-mutants ARGS='--only NAME'`: the defects of mutants.ts, one at a time, each in a copy of the tree; each must be seen by the
 * runs and tests that it names. `--lane day` tries those that a test of the day's suite sees, with that test; `--lane night` the others of
 * their checks. `--sample N` tries N of them, others every day. `--control` has the same checks look at the tree as it is: none may see
 * anything. `--show` tells what was kept of the last trials, `--record` keeps that for docs/faults.md: neither tries anything. Exits with 1
 * where a check did not come to what it should.
 */
import { parseArgs } from 'node:util';
import { root } from '#deploy/local/paths.ts';
import { holdServers } from '../../support/start-servers.ts';
import { releaseServers } from '../../support/stop-servers.ts';
import { checksOf, lanes, type MutantCheck, nameOfCheck } from './mutant.ts';
import { mutants } from './mutants.ts';
import { recordMutants, untriedOf } from './record.ts';
import { formatResults, keepOutput, keepResult, readResults, verdictNames } from './results.ts';
import { type Trial, tryEdits } from './try-mutant.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    lane: { type: 'string' },
    sample: { type: 'string', default: '' },
    control: { type: 'boolean' },
    show: { type: 'boolean' },
    record: { type: 'boolean' },
  },
});
const all = checksOf(mutants);
/** Checks that have passed without a mutant. */
const sound = new Set<string>();
const wanted = wantedOf(all);
if (values.show) show();
else if (values.record) console.log(`recorded: ${recordMutants(mutants)}\nnow: npm run docs:write`);
else if (values.control) await withTestServers(wanted, tryControls);
else await withTestServers(wanted, tryAll);

function wantedOf(checks: readonly MutantCheck[]): readonly MutantCheck[] {
  const { only, lane, sample } = values;
  if (lane !== undefined && !lanes.some((each) => each === lane)) refuse(`--lane ${lane}: day or night`);
  if (sample !== '' && !/^[1-9]\d*$/.test(sample)) refuse(`--sample ${sample}: a number from 1`);
  const named = only.flatMap((text) => namedLike(checks, text));
  const ofLane = lane === undefined ? named : named.filter((each) => each.lane === lane);
  if (ofLane.length === 0) refuse(`nothing of the ${lane} sees ${only.join(', ')}`);
  return sample === '' ? ofLane : sampleOf(ofLane, Number(sample));
}

/** The mutant of this name, else those with this text in their names. */
function namedLike(checks: readonly MutantCheck[], text: string): readonly MutantCheck[] {
  const exactly = checks.filter(({ mutant }) => mutant.name === text);
  const named = exactly.length > 0 ? exactly : checks.filter(({ mutant }) => mutant.name.includes(text));
  if (named.length === 0)
    refuse(`there is no mutant ${text}; there are:\n${mutants.map(({ name }) => `  ${name}`).join('\n')}`);
  return named;
}

function refuse(problem: string): never {
  console.error(problem);
  process.exit(2);
}

/** So many of them, by the day: all have had their turn after some days. */
function sampleOf(from: readonly MutantCheck[], count: number): readonly MutantCheck[] {
  const day = Math.floor(Date.now() / 86_400_000);
  return Array.from(
    { length: Math.min(count, from.length) },
    (_, index) => from[(day * count + index) % from.length],
  ).filter((check) => check !== undefined);
}

function show(): void {
  const results = readResults(wanted);
  console.log(formatResults(results));
  for (const { mutant, lane } of untriedOf(wanted, results)) console.log(`not tried yet: ${mutant.name} (${lane})`);
}

async function tryAll(): Promise<void> {
  for (const tried of wanted) {
    const trial = await tryWithControl(tried);
    keepResult(all, tried, trial);
    const { mutant, lane } = tried;
    console.log(
      `${verdictNames[trial.verdict].padEnd(7)}  ${mutant.name} (${lane}): ${trial.says}; ${trial.seconds} s`,
    );
    if (trial.verdict === 'seen') continue;
    console.log(`         ${keepOutput(`mutant ${mutant.name} ${lane}`, trial.output)}`);
    process.exitCode = 1;
  }
  console.log(`\n${formatResults(readResults(wanted))}`);
}

/** A run names what it has found. That a test has failed says nothing until it passes without the mutant. */
async function tryWithControl({ mutant, check }: MutantCheck): Promise<Trial> {
  const trial = await tryEdits(mutant.edits, check, mutant.budgetSeconds);
  const name = JSON.stringify(check);
  if (trial.verdict !== 'seen' || 'run' in check || sound.has(name)) return trial;
  const control = await tryEdits([], check, mutant.budgetSeconds);
  if (control.verdict !== 'clean')
    return { ...control, verdict: 'unclear', says: `without the mutant: ${control.says}` };
  sound.add(name);
  return trial;
}

/** A check that fails by itself would see every mutant. */
async function tryControls(): Promise<void> {
  const controls = new Map(wanted.map((each) => [JSON.stringify(each.check), each]));
  for (const { mutant, check } of controls.values()) {
    const { verdict, says, seconds, output } = await tryEdits([], check, mutant.budgetSeconds);
    const isSound = verdict === 'clean';
    console.log(`${isSound ? 'sound' : 'WRONG'}  ${nameOfCheck(check)}: ${says}; ${seconds} s`);
    if (isSound) continue;
    console.log(`       ${keepOutput(`control of ${mutant.name}`, output)}`);
    process.exitCode = 1;
  }
}

/** One set for all the tests that need servers. The runs have their own. */
async function withTestServers(tried: readonly MutantCheck[], work: () => Promise<void>): Promise<void> {
  const areNeeded = tried.some(({ check }) => 'test' in check && !check.test.startsWith('test/unit/'));
  if (!areNeeded || process.env.HOOKLINE_TEST_SERVERS !== undefined) return work();
  const held = holdServers(root);
  process.env.HOOKLINE_TEST_SERVERS = await held.file;
  // oxlint-disable-next-line typescript/no-misused-promises
  await work().finally(() => releaseServers(held));
}
