/** The last result of each row of docs/evidence.md: from what its run has recorded, else as it stands in the row. */
import { growthNames } from '../bench/benches.ts';
import { type KeptReport, recordedReports } from '../bench/support/kept-reports.ts';
import { type Figure, isMet, judgedOf, shortNumber } from '../bench/support/figure.ts';
import { recordedSoak } from '../bench/soak/recorded.ts';
import { countsOf, recordOf } from '../faults/document/glance.ts';
import { mutantsKilled } from '../faults/document/mutants-section.ts';
import { lastOfEachKind, readRecordings, violationsOf } from '../faults/document/recordings.ts';
import { dayOfTrials } from '../faults/mutants/results.ts';
import { thousands } from '../support/thousands.ts';
import type { Evidence, Result } from './evidence.ts';

/** Where there are more, they are counted. */
const aimsTold = 4;

/** @throws Error if there is none */
export function resultOf({ name, from, result, day, commit }: Evidence): Result {
  const recorded = from === undefined ? undefined : readers[from](name);
  if (recorded !== undefined) return recorded;
  if (result === undefined || day === undefined || commit === undefined) throw new Error(`${name} has no result`);
  return { result, day, commit };
}

const readers: Readonly<Record<NonNullable<Evidence['from']>, (name: string) => Result | undefined>> = {
  faults(name) {
    const { runs } = readRecordings();
    const named = runs.find((each) => each.name === name);
    if (named === undefined) return undefined;
    const { startedAt, commit } = named.run;
    const place = lastOfEachKind(runs).includes(named) ? `faults.md#${name}` : recordOf(named);
    const verdict = violationsOf(named.run).length === 0 ? '' : '**missed**: ';
    return { result: `${verdict}${countsOf(named.run)}: [figures](${place})`, day: startedAt.slice(0, 10), commit };
  },
  mutants() {
    const { mutants } = readRecordings();
    if (mutants === undefined) return undefined;
    return {
      result: `${mutantsKilled(mutants)}: [figures](faults.md#mutants)`,
      day: dayOfTrials(mutants),
      commit: mutants.commit,
    };
  },
  bench(name) {
    const [report] = recordedReports([name]);
    return report && { result: describeBench(report), day: report.startedAt.slice(0, 10), commit: report.commit };
  },
  growth() {
    const reports = recordedReports(growthNames);
    const last = reports.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt)).at(-1);
    return last && { result: describeGrowth(reports), day: last.startedAt.slice(0, 10), commit: last.commit };
  },
  soak() {
    const summary = recordedSoak();
    if (summary === undefined) return undefined;
    const { minutes, perSecond, series, account, violations, startedAt, commit } = summary;
    const flat = series.filter(({ isFlat }) => isFlat).length;
    const found = violations.length === 0 ? 'no violation' : `**missed: ${violations.length} violations**`;
    const result = `${minutes} minutes at ${perSecond} webhooks a second: ${flat} of ${series.length} series flat, ${thousands(account.accepted)} webhooks accounted for, ${found}: [figures](soak.md)`;
    return { result, day: startedAt.slice(0, 10), commit };
  },
};

function describeBench({ bench, figures, unaccounted }: KeptReport): string {
  const aimed = figures.filter(({ aim }) => aim !== undefined);
  const missed = aimed.filter((figure) => isMet(figure) === false).length;
  const told =
    aimed.length > aimsTold
      ? `${aimed.length - missed} of ${aimed.length} aims met, ${missed} **missed**`
      : aimed.map(describeAim).join('; ');
  return `${[...unaccounted.map((each) => `**${each}**`), told].join('; ')}: [figures](speed.md#${bench})`;
}

function describeGrowth(reports: readonly KeptReport[]): string {
  const kept = reports.filter(({ figures, unaccounted }) => unaccounted.length === 0 && figures.every(isMet));
  const missed = reports.filter((report) => !kept.includes(report)).map(({ bench }) => `, **missed** by ${bench}`);
  return `${kept.length} of ${reports.length} benches within the aim${missed.join('')}: [figures](speed.md#growth)`;
}

function describeAim(figure: Figure): string {
  const { name, unit, ceiling, aim = { atLeast: 0 } } = figure;
  const reached = shortNumber(judgedOf(figure).median);
  const measured = ceiling === undefined ? `${reached} ${unit}` : `${reached} of ${ceiling.name}`;
  const wanted = 'atLeast' in aim ? `at least ${aim.atLeast}` : `at most ${aim.atMost}`;
  return `${name}: ${measured}, aim ${wanted}, ${isMet(figure) === true ? 'met' : '**missed**'}`;
}
