import { html, type Html } from '#lib/html';
import { milliseconds } from '../../parts/milliseconds.ts';
import { outcomeBadge } from '../../parts/outcome.ts';
import { phaseBar, phases } from '../../parts/phase-bar.ts';
import { type Column, table } from '../../parts/table.ts';
import { time } from '../../parts/time.ts';
import type { Attempt, Delivery } from '../../routes/deliveries/delivery.ts';
import type { Retry } from '../../routes/endpoints/endpoint.ts';
import { waitedBecause } from './waits.ts';

interface Attempts {
  t: string;
  delivery: Delivery;
  attempts: readonly Attempt[];
  retry: Retry | undefined;
}

/** The attempts of a delivery: when, what came of each, and where its time went. */
export function attemptsTable({ t, delivery, attempts, retry }: Attempts): Html {
  const longestMs = Math.max(0, ...attempts.map(totalMs));
  const before = new Map(attempts.map((attempt, index) => [attempt, attempts[index - 1]]));
  const columns: readonly Column<Attempt>[] = [
    { header: 'Attempt', cell: ({ attempt }) => html`<span class="attempt-word">Attempt</span> ${attempt}` },
    { header: 'At', cell: ({ at }) => time(at) },
    {
      header: 'Outcome',
      cell: ({ outcome, http_status: httpStatus }) => outcomeBadge({ outcome, httpStatus }),
    },
    ...phases.map(({ name, label }) => ({
      header: label,
      isNumber: true,
      cell: ({ timing }: Attempt) => milliseconds(timing?.[name]),
    })),
    {
      header: 'Total',
      isNumber: true,
      cell: (attempt) => html`${milliseconds(attempt.duration_ms)}${phaseBar(attempt.timing, longestMs)}`,
    },
    {
      header: 'Waited',
      cell: (attempt) => waitedBecause(attempt, before.get(attempt), { delivery, retry }) || '–',
    },
  ];
  return html`<div class="attempts">${table({
    caption: 'Attempts',
    columns,
    rows: attempts,
    href: ({ attempt }) => `${t}/deliveries/${delivery.id}/attempts/${attempt}`,
  })}</div>`;
}

export const totalMs = ({ duration_ms: duration, timing }: Attempt): number =>
  duration ?? phases.reduce((sum, { name }) => sum + (timing?.[name] ?? 0), 0);
