import { type Dashboard, graph, quantilesOf, rateOf, stat, table } from './panel.ts';

const letters = 'hookline_dead_letters_total';
const processing = `${letters}{stage=~"dedup|fan-out|projector"}`;

export const deadLetters: Dashboard = {
  name: 'dead-letters',
  title: 'dead letters and retries',
  description: 'Dead letters by stage and reason, deliveries waiting for a retry, replays.',
  rows: [
    {
      title: 'Dead letters',
      height: 8,
      panels: [
        stat({
          title: 'Dead-lettered in processing, 24 h',
          description: 'Records that dedup, fan-out or the projector could not process. Somebody must look at them.',
          unit: 'short',
          width: 4,
          decimals: 0,
          queries: [{ expr: `sum(increase(${processing}[24h]))`, legend: 'dead letters' }],
          thresholds: { bad: 1 },
        }),
        stat({
          title: 'Dead-lettered deliveries, 24 h',
          description: 'The endpoint failed until the retry window ended, answered 410, or is disabled.',
          unit: 'short',
          width: 4,
          decimals: 0,
          queries: [{ expr: `sum(increase(${letters}{stage="dispatcher"}[24h]))`, legend: 'dead letters' }],
          thresholds: { warn: 1, bad: 1000 },
        }),
        graph({
          title: 'Dead letters by stage and reason',
          description: 'Written per second. Replay them with `make replay-dlq` or POST /v1/dead-letters/replay.',
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
          title: 'Dead letters of the last 7 days',
          description: 'Counted by stage and reason.',
          unit: 'short',
          width: 8,
          query: { expr: `sum by (stage, reason) (increase(${letters}[7d])) > 0`, legend: '' },
          columns: { stage: 'Stage', reason: 'Reason' },
          value: 'Dead letters',
        }),
      ],
    },
    {
      title: 'Retries',
      height: 8,
      panels: [
        graph({
          title: 'Waiting deliveries by state',
          description: 'retrying: waiting for the next attempt. parked: waiting for room. Counted every ten seconds.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'hookline:deliveries_waiting:sum', legend: '{{state}}' }],
          stacked: true,
        }),
        graph({
          title: 'Retry delay beyond due time (s)',
          description: 'From the time when a retry is due until it is sent. Normal is less than a second.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_retry_due_error_seconds'),
          limit: 60,
        }),
        graph({
          title: 'Retries sent',
          description: 'Sum over all processes.',
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
          title: 'Replayed dead letters by outcome',
          description:
            'payload_expired, letter_removed: removed by retention. endpoint_…: the endpoint is deleted or disabled.',
          unit: 'cps',
          width: 12,
          queries: [{ expr: rateOf('hookline_replay_items_total', 'outcome'), legend: '{{outcome}}' }],
        }),
        graph({
          title: 'Open circuit breakers',
          description: 'Deliveries to an endpoint wait while its circuit breaker is open.',
          unit: 'short',
          width: 12,
          queries: [{ expr: 'sum(hookline_endpoint_breaker_state{state="open"})', legend: 'open' }],
        }),
      ],
    },
  ],
};
