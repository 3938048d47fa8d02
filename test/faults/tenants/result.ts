import { alignFigures } from '#lib/text-table';
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
    alignFigures([
      ['attack', 'answers'],
      ...attacks.map(({ name, says }) => [name, `${answersOf(told[name])}: ${says}`]),
    ]),
  ];
}

const answersOf = (answers: Readonly<Record<string, number>> = {}): string =>
  Object.entries(answers)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ') || 'none';
