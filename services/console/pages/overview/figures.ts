import type { Stats } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { withQuery } from '../../api-calls/paths.ts';
import { barChart } from '../../parts/chart.ts';
import { count } from '../../parts/count.ts';
import { figure, percent } from '../../parts/figure.ts';
import { minute } from '../../parts/minute.ts';
import { ranges, type RangeName } from '../../routes/overview/ranges.ts';
import { isPartlyCounted, steps, total } from '../../routes/overview/stats.ts';

interface Figures {
  t: string;
  stats: Stats;
  range: RangeName;
}

/** The numbers of the chosen time. Each says what it counts. */
export function figures({ t, stats, range }: Figures): Html {
  const { step, stepName, stepMs } = ranges[range];
  const [received, delivered, dead] = [
    total(stats, 'received'),
    total(stats, 'delivered'),
    total(stats, 'dead_lettered'),
  ];
  const ended = delivered + dead;
  return html`<section class="card" aria-label="Counts">
${isPartlyCounted(stats) && uncounted(stats)}
<div class="figures">
${figure({
  label: 'Received',
  value:
    received === 0
      ? '0'
      : html`<a href="${withQuery(`${t}/events`, { received_since: stats.since, received_until: stats.until })}">${count(received)}</a>`,
  definition:
    'Events that were accepted in this time. An arrival that repeats an earlier one is a duplicate, and is not counted here.',
})}
${figure({
  label: 'Duplicates',
  value: count(total(stats, 'duplicates')),
  definition:
    'Arrivals of an event that had been accepted before: the same source, the same id. They are acknowledged, and not delivered again.',
})}
${figure({
  label: 'Rejected',
  value: count(total(stats, 'rejected')),
  definition:
    'Webhooks that were refused, such as for a wrong signature. Approximate: a process that is killed loses the count of its last second.',
})}
${figure({
  label: 'Delivered',
  value: html`${percent(delivered, ended)}`,
  definition: `Of the ${count(ended)} deliveries that ended in this time, the ${count(delivered)} that were answered with a 2xx. The other ${count(dead)} became dead letters. A delivery that is still being retried is in neither number.`,
})}
${figure({
  label: 'Failed attempts',
  value: count(total(stats, 'failed')),
  definition:
    'Sends in this time that were not answered with a 2xx. One delivery may have several, and still be delivered.',
})}
</div>
<div class="charts">
${barChart({ title: 'Received', bars: steps(stats, 'received', stepMs), step: stepName })}
${barChart({ title: 'Failed attempts', bars: steps(stats, 'failed', stepMs), step: stepName, tone: 'bad' })}
</div>
<p class="muted">From ${minute(stats.since)} to ${minute(stats.until)}, by the ${stepName}${step === '1m' ? '' : ', the one under way included'}.</p></section>`;
}

const uncounted = ({ counted_since: since }: Stats): Html =>
  html`<p class="note">${since === null ? 'Counting has not begun yet.' : html`Counting began at ${minute(since)}. What happened earlier is not in these numbers.`}</p>`;
