/**
 * The benches: `make bench`, or one of them with what can be set, `make bench ARGS='--only receiving --turns 5 --profile'`. Each has servers of
 * its own, puts every figure beside what limits it, and accounts for everything it has sent: what is missing is exit 1, a missed aim is not.
 * `COMPARE=last`, or the file of an earlier run, says what has changed; `--record` keeps it for docs/speed.md and docs/evidence.md.
 */
import { parseArgs } from 'node:util';
import { testedCommit } from '../support/tested-commit.ts';
import { benches, stageNames } from './benches.ts';
import type { Bench } from './support/bench.ts';
import { compareReports } from './support/compare.ts';
import { describeFigure } from './support/figure.ts';
import { keepReport, type KeptReport, lastReportOf, readReport, recordReport } from './support/kept-reports.ts';
import { describeMachine, machineNow } from './support/machine.ts';

const say = (line: string): void => console.log(line);
const commit = testedCommit();
const { wanted, given, profile, isRecorded, compare } = readArguments();
const asked: [bench: Bench, numbers: Record<string, number>][] = [];
for (const name of wanted) {
  const bench = await (benches[name] as () => Promise<Bench>)();
  asked.push([bench, numbersOf(bench)]);
}
let failed = false;
for (const [bench, numbers] of asked) failed = (await runOne(bench, numbers)) || failed;
process.exit(failed ? 1 : 0);

/** @returns whether something is unaccounted for */
async function runOne(bench: Bench, numbers: Record<string, number>): Promise<boolean> {
  const before = compare === 'last' ? lastReportOf(bench.name) : undefined;
  const options = Object.entries(numbers).map(([option, value]) => `--${option} ${value}`);
  const again = `make bench ARGS='--only ${bench.name} ${options.join(' ')}'`;
  const machine = machineNow();
  const startedAt = new Date().toISOString();
  say(`${bench.name}: ${bench.says}\n${again}`);
  say(describeMachine(machine));
  const report: KeptReport = {
    bench: bench.name,
    startedAt,
    commit,
    again,
    machine,
    ...(await bench.run({ numbers, profile, say })),
  };
  say(['', report.setUp, ...report.figures.map(describeFigure), ...report.notes].join('\n'));
  for (const each of report.unaccounted) say(`UNACCOUNTED: ${each}`);
  if (before !== undefined) say(compareReports(before, report));
  else if (compare === 'last') say('nothing to compare with: this is the first');
  else if (compare !== '') say(compareReports(readReport(compare), report));
  say(`kept: ${keepReport(report)}`);
  if (isRecorded) say(`recorded: ${recordReport(report)}\nnow: npm run docs:write`);
  say('');
  return report.unaccounted.length > 0;
}

function numbersOf({ name, numbers: defaults }: Bench): Record<string, number> {
  const unknown = Object.keys(given).filter((option) => !(option in defaults));
  if (unknown.length > 0)
    fail(`${name} has no --${unknown.join(', --')}; it has --${Object.keys(defaults).join(', --')}`);
  return { ...defaults, ...given };
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: stageNames.join() },
      compare: { type: 'string', default: '' },
      profile: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
    },
    strict: false,
    allowPositionals: true,
  });
  const { only, compare, profile, record, ...rest } = values;
  const wanted = String(only).split(',');
  const unknown = wanted.filter((name) => benches[name] === undefined);
  if (unknown.length > 0) fail(`there is no bench ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}`);
  const given = Object.fromEntries(numberArguments().filter(([option]) => option in rest));
  for (const [option, value] of Object.entries(given)) if (!(value > 0)) fail(`--${option} must be above 0`);
  return { wanted, given, profile: profile === true, isRecorded: record === true, compare: String(compare) };
}

/** The options depend on the bench, so `parseArgs` takes them for switches. */
function numberArguments(): [option: string, value: number][] {
  const args = process.argv.slice(2);
  return args.flatMap((argument, index) => {
    const [, option, joined] = /^--([a-z-]+)(?:=(.*))?$/.exec(argument) ?? [];
    return option === undefined ? [] : [[option, Number(joined ?? args[index + 1])] as [string, number]];
  });
}

function fail(why: string): never {
  console.error(
    `${why}\nusage: make bench ARGS='[--only NAME[,NAME]] [--profile] [--record] [--compare last|FILE] [--NUMBER N …]'`,
  );
  return process.exit(2);
}
