import { alignFigures } from '../../support/align-figures.ts';
import type { Attack } from './attack.ts';
import type { TenantsResult } from './run.ts';

/** A run as its reader wants to see it. */
export function formatResult({ phases, told }: TenantsResult, attacks: readonly Attack[]): string[] {
  const ms = (value: number): string => value.toFixed();
  return [
    alignFigures([
      [
        'neighbours',
        'webhooks',
        'arrival p50',
        'p99 ms',
        'GET p50',
        'p99 ms',
        'POST p50',
        'p99 ms',
        'polls',
        'tests',
        'refused',
        'unanswered',
      ],
      ...phases.map(({ phase, webhooks, p50Ms, p99Ms, polls, tests, refused, unanswered }) => [
        phase,
        String(webhooks),
        ...(['arrival', 'get', 'post'] as const).flatMap((measure) => [ms(p50Ms[measure]), ms(p99Ms[measure])]),
        ...[polls, tests, refused, unanswered].map(String),
      ]),
    ]),
    alignFigures([['processors', ...phases.flatMap(({ phase }) => [phase, 'wait for one'])], ...processorRows(phases)]),
    alignFigures([
      ['attack', 'answers'],
      ...attacks.map(({ name, says }) => [name, `${answersOf(told[name])}: ${says}`]),
    ]),
  ];
}

/** The processes in the order of what they have in the last phase, and all together. */
function processorRows(phases: TenantsResult['phases']): string[][] {
  const names = [...(phases.at(-1)?.processors ?? [])].sort((a, b) => b.has - a.has).map(({ process }) => process);
  const figures = phases.map(({ processors }) => new Map(processors.map((use) => [use.process, use])));
  const cells = (each: readonly string[]): string[] =>
    figures.flatMap((of) =>
      (['has', 'waiting'] as const).map((what) =>
        each.reduce((sum, name) => sum + (of.get(name)?.[what] ?? 0), 0).toFixed(2),
      ),
    );
  return [...names.map((name) => [name, ...cells([name])]), ['together', ...cells(names)]];
}

const answersOf = (answers: Readonly<Record<string, number>> = {}): string =>
  Object.entries(answers)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ') || 'none';
