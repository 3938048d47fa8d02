import { type Dashboard, graph, quantilesOf, rateOf, stat, table } from './panel.ts';

const letters = 'hookline_dead_letters_total';
const processing = `${letters}{stage=~"dedup|fan-out|projector"}`;

export const deadLetters: Dashboard = {
  name: 'dead-letters',
  title: 'dead letters and retries',
  description: 'What was given up and why, what waits to be tried again, what was replayed.',
  rows: [
    {
      title: 'Dead letters',
      height: 8,
      panels: [
        stat({
          title: 'Of processing, 24 h',
          description:
            'Of dedup, fan-out and projector: the record itself could not be processed, and somebody must look.',
          unit: 'short',
          width: 4,
          decimals: 0,
          queries: [{ expr: `sum(increase(${processing}[24h]))`, legend: 'letters' }],
          thresholds: { bad: 1 },
        }),
        stat({
          title: 'Of deliveries, 24 h',
          description: 'Given up after their endpoint took nothing for three days, answered 410, or is disabled.',
          unit: 'short',
          width: 4,
          decimals: 0,
          queries: [{ expr: `sum(increase(${letters}{stage="dispatcher"}[24h]))`, legend: 'letters' }],
          thresholds: { warn: 1, bad: 1000 },
        }),
        graph({
          title: 'By stage and reason',
          description: 'As they are written. They are replayed by `make replay-dlq`, or POST /v1/dead-letters/replay.',
          unit: 'cps',
          width: 8,
          queries: [
            {
              expr: `${rateOf(letters, 'stage, reason')} > 0 or ${rateOf(letters, 'stage, reason')} * 0`,
              legend: '{{stage}}: {{reason}}',
            },
          ],
        }),
        table({
          title: 'Within a week',
          description: 'Letters by stage and reason.',
          unit: 'short',
          width: 8,
          query: { expr: `sum by (stage, reason) (increase(${letters}[7d])) > 0`, legend: '' },
          columns: { stage: 'Stage', reason: 'Reason' },
          value: 'Letters',
        }),
      ],
    },
    {
      title: 'Retries',
      height: 8,
      panels: [
        graph({
          title: 'Deliveries that wait',
          description: 'retrying: for their time. parked: for room. Counted every ten seconds.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'hookline:deliveries_waiting:sum', legend: '{{state}}' }],
          stacked: true,
        }),
        graph({
          title: 'Retries are late by',
          description: 'From the time that a retry is due to its send. Usual is less than a second.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_retry_due_error_seconds'),
          limit: 60,
        }),
        graph({
          title: 'Retries sent',
          description: 'All processes together.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf('hookline_retry_due_error_seconds_count'), legend: 'retries' }],
        }),
      ],
    },
    {
      title: 'Replays',
      height: 8,
      panels: [
        graph({
          title: 'Replayed, and why not',
          description: 'payload_expired, letter_removed: past its time. endpoint_…: nobody is there to take it.',
          unit: 'cps',
          width: 12,
          queries: [{ expr: rateOf('hookline_replay_items_total', 'outcome'), legend: '{{outcome}}' }],
        }),
        graph({
          title: 'Endpoints left alone',
          description: 'While a breaker is open, what comes for its endpoint waits.',
          unit: 'short',
          width: 12,
          queries: [{ expr: 'sum(hookline_endpoint_breaker_state{state="open"})', legend: 'open' }],
        }),
      ],
    },
  ],
};
