import { type Dashboard, graph, quantilesOf, rateOf, stat, table } from './panel.ts';

const requests = 'hookline_ingress_requests_total';
const dedup = 'hookline_dedup_records_total';

export const receiving: Dashboard = {
  name: 'receiving',
  title: 'receiving',
  description: 'From the sender to the event: answers, acknowledgments, what is turned away, duplicates.',
  rows: [
    {
      title: 'Webhooks',
      height: 8,
      panels: [
        graph({
          title: 'By what became of them',
          description: 'accepted: durable, and answered 2xx. All others are the codes of docs/errors.md.',
          unit: 'cps',
          width: 12,
          queries: [{ expr: rateOf(requests, 'outcome'), legend: '{{outcome}}' }],
          stacked: true,
        }),
        graph({
          title: 'Ten busiest sources',
          description: 'The first 200 sources have a name here, all later ones are `other`.',
          unit: 'cps',
          width: 12,
          queries: [{ expr: `topk(10, ${rateOf(requests, 'source')})`, legend: '{{source}}' }],
        }),
      ],
    },
    {
      title: 'Answers',
      height: 8,
      panels: [
        graph({
          title: 'Until Kafka’s acknowledgment',
          description: 'From a webhook’s headers on, of those accepted. From 2 s on the answer is 503.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_ingress_ack_seconds', '', [0.5, 0.9, 0.99, 0.999]),
          limit: 0.5,
        }),
        graph({
          title: 'Turned away unread',
          description:
            'full: too much waits for Kafka. stalled, slow: Kafka. starved: no processor. connections, dropped: too many connections.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf('hookline_ingress_turned_away_total', 'reason'), legend: '{{reason}}' }],
        }),
        graph({
          title: 'Records that wait for Kafka',
          description: 'Against the bound at which webhooks are turned away, each process by itself.',
          unit: 'percentunit',
          width: 8,
          queries: [
            {
              expr: 'max by (instance) (hookline_ingress_pending_records / hookline_ingress_pending_records_max)',
              legend: '{{instance}}',
            },
          ],
          limit: 1,
        }),
      ],
    },
    {
      title: 'Refused',
      height: 8,
      panels: [
        table({
          title: 'Refusals within the hour',
          description: 'By source and code. GET /v1/sources/{id}/rejections shows the last of them.',
          unit: 'short',
          width: 12,
          query: {
            expr: `topk(20, sum by (source, outcome) (increase(${requests}{outcome!~"accepted|challenge"}[1h])) > 0)`,
            legend: '',
          },
          columns: { source: 'Source', outcome: 'Code' },
          value: 'Webhooks',
        }),
        graph({
          title: 'Part of each source’s webhooks with a wrong signature',
          description: 'A secret that was changed on one side only, a clock that is wrong, or somebody who tries.',
          unit: 'percentunit',
          width: 12,
          queries: [
            {
              expr: `sum by (source) (rate(${requests}{outcome=~"signature_.+|timestamp_out_of_tolerance"}[$__rate_interval])) / sum by (source) (rate(${requests}[$__rate_interval]) > 0)`,
              legend: '{{source}}',
            },
          ],
          limit: 0.2,
        }),
      ],
    },
    {
      title: 'Accepted once',
      height: 8,
      panels: [
        graph({
          title: 'Records of dedup',
          description:
            'first: a new event. duplicate_changed: a known identifier with another body. republished: finished after a crash. failed: a dead letter.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf(dedup, 'outcome'), legend: '{{outcome}}' }],
          stacked: true,
        }),
        stat({
          title: 'Duplicates',
          description: 'Part of what was received in five minutes.',
          unit: 'percentunit',
          width: 4,
          queries: [
            {
              expr: 'sum(hookline:dedup_records:rate5m{outcome=~"duplicate.*"}) / (sum(hookline:dedup_records:rate5m) > 0)',
              legend: 'duplicates',
            },
          ],
          thresholds: { warn: 0.3, bad: 0.5 },
        }),
        graph({
          title: 'Behind',
          description: 'How long the oldest record has waited that dedup has not finished.',
          unit: 's',
          width: 12,
          queries: [
            {
              expr: 'max by (partition) (hookline_consumer_lag_seconds{group=~".*dedup"})',
              legend: 'partition {{partition}}',
            },
          ],
          limit: 60,
        }),
      ],
    },
    {
      title: 'The processes of the ingress',
      height: 7,
      panels: [
        graph({
          title: 'Processor',
          description: 'Cores. One process can use little more than one.',
          unit: 'short',
          width: 8,
          queries: [
            {
              expr: 'rate(process_cpu_seconds_total{job="hookline-ingress"}[$__rate_interval])',
              legend: '{{instance}}',
            },
          ],
          limit: 1,
        }),
        graph({
          title: 'Late by',
          description:
            'How long a hundredth of what is to be done waits for its turn. Webhooks are turned away from 0.4 s on.',
          unit: 's',
          width: 8,
          queries: [{ expr: 'nodejs_eventloop_lag_p99_seconds{job="hookline-ingress"} - 0.1', legend: '{{instance}}' }],
          limit: 0.4,
        }),
        graph({
          title: 'Memory',
          description: 'Resident. It is bounded by the settings, however much comes.',
          unit: 'bytes',
          width: 8,
          queries: [{ expr: 'process_resident_memory_bytes{job="hookline-ingress"}', legend: '{{instance}}' }],
        }),
      ],
    },
  ],
};
