/**
 * `make faults-mutants ARGS='--only NAME'`: the defects of mutants.ts, one at a time, each in a copy of the tree; each must be seen by the
 * run or the test that it names. `--sample N` tries N of them, others every day. `--control` has the same checks look at the tree as it is: none may see anything. `--show` tells what was
 * kept of the last trials, `--record` keeps that for docs/faults.md: neither tries anything. Exits with 1 where a check did not come to what it
 * should.
 */
import { parseArgs } from 'node:util';
import { root } from '#deploy/local/paths.ts';
import { holdServers } from '../../support/start-servers.ts';
import { releaseServers } from '../../support/stop-servers.ts';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';
import { recordMutants, untriedOf } from './record.ts';
import { formatResults, keepOutput, keepResult, nameOfCheck, readResults, verdictNames } from './results.ts';
import { type Trial, tryMutant } from './try-mutant.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    sample: { type: 'string', default: '' },
    ...{ control: { type: 'boolean' }, show: { type: 'boolean' }, record: { type: 'boolean' } },
  },
});
const exactly = mutants.filter(({ name }) => name === values.only);
const named = exactly.length > 0 ? exactly : mutants.filter(({ name }) => name.includes(values.only));
const wanted = values.sample === '' ? named : sampleOf(named, Number(values.sample));
if (wanted.length === 0) {
  console.error(`there is no mutant ${values.only}; there are:\n${mutants.map(({ name }) => `  ${name}`).join('\n')}`);
  process.exit(2);
}
if (values.show) show();
else if (values.record) console.log(`recorded: ${recordMutants(mutants)}\nnow: npm run docs:write`);
else if (values.control) await withTestServers(wanted, tryControls);
else await withTestServers(wanted, tryAll);

/** So many of them, by the day: all have had their turn after some days. */
function sampleOf(from: readonly Mutant[], count: number): readonly Mutant[] {
  const day = Math.floor(Date.now() / 86_400_000);
  return Array.from(
    { length: Math.min(count, from.length) },
    (_, index) => from[(day * count + index) % from.length],
  ).filter((mutant) => mutant !== undefined);
}

function show(): void {
  const results = readResults(wanted);
  console.log(formatResults(results));
  for (const name of untriedOf(wanted, results)) console.log(`not tried yet: ${name}`);
}

async function tryAll(): Promise<void> {
  for (const mutant of wanted) {
    const trial = await tryWithControl(mutant);
    keepResult(mutants, mutant, trial);
    console.log(`${verdictNames[trial.verdict].padEnd(7)}  ${mutant.name}: ${trial.says}; ${trial.seconds} s`);
    if (trial.verdict === 'seen') continue;
    console.log(`         ${keepOutput(`mutant ${mutant.name}`, trial.output)}`);
    process.exitCode = 1;
  }
  console.log(`\n${formatResults(readResults(wanted))}`);
}

/** A run names what it has found. That a test has failed says nothing until it passes without the mutant. */
async function tryWithControl(mutant: Mutant): Promise<Trial> {
  const trial = await tryMutant(mutant);
  if (trial.verdict !== 'seen' || 'run' in mutant.check) return trial;
  const control = await tryMutant({ ...mutant, edits: [] });
  if (control.verdict === 'clean') return trial;
  return { ...control, verdict: 'unclear', says: `without the mutant: ${control.says}` };
}

/** A check that fails by itself would see every mutant. */
async function tryControls(): Promise<void> {
  const controls = new Map(wanted.map((mutant) => [JSON.stringify(mutant.check), { ...mutant, edits: [] }]));
  for (const control of controls.values()) {
    const { verdict, says, seconds, output } = await tryMutant(control);
    const isSound = verdict === 'clean';
    console.log(`${isSound ? 'sound' : 'WRONG'}  ${nameOfCheck(control)}: ${says}; ${seconds} s`);
    if (isSound) continue;
    console.log(`       ${keepOutput(`control of ${control.name}`, output)}`);
    process.exitCode = 1;
  }
}

/** One set for all the tests that need servers. The runs have their own. */
async function withTestServers(tried: readonly Mutant[], work: () => Promise<void>): Promise<void> {
  const areNeeded = tried.some(({ check }) => 'test' in check && !check.test.startsWith('test/unit/'));
  if (!areNeeded || process.env.HOOKLINE_TEST_SERVERS !== undefined) return work();
  const held = holdServers(root);
  process.env.HOOKLINE_TEST_SERVERS = await held.file;
  // oxlint-disable-next-line typescript/no-misused-promises
  await work().finally(() => releaseServers(held));
}
