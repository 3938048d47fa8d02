import { type Dashboard, graph, quantilesOf, rateOf, stat, table } from './panel.ts';

const requests = 'hookline_ingress_requests_total';
const dedup = 'hookline_dedup_records_total';

export const receiving: Dashboard = {
  name: 'receiving',
  title: 'webhooks and deduplication',
  description: 'From the provider to the event: webhooks by outcome, latency, load shedding, rejections, duplicates.',
  rows: [
    {
      title: 'Webhooks',
      height: 8,
      panels: [
        graph({
          title: 'Webhooks by outcome',
          description: 'accepted: durable, and answered with a 2xx. All others are error codes of docs/errors.md.',
          unit: 'cps',
          width: 12,
          queries: [{ expr: rateOf(requests, 'outcome'), legend: '{{outcome}}' }],
          stacked: true,
        }),
        graph({
          title: 'Webhooks by source, top 10',
          description: 'The first 200 sources have their own series; all later ones are counted as `other`.',
          unit: 'cps',
          width: 12,
          queries: [{ expr: `topk(10, ${rateOf(requests, 'source')})`, legend: '{{source}}' }],
        }),
      ],
    },
    {
      title: 'Latency and load shedding',
      height: 8,
      panels: [
        graph({
          title: 'Acknowledgment latency',
          description:
            'From the headers of an accepted webhook to the acknowledgment by Kafka. After 2 s the answer is 503.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_ingress_ack_seconds', '', [0.5, 0.9, 0.99, 0.999]),
          limit: 0.5,
        }),
        graph({
          title: 'Load shedding by reason',
          description:
            'Webhooks refused before their body is read. full: the queue for Kafka is full. stalled, slow: Kafka does not answer in time. starved: no CPU time. connections, dropped: too many connections.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf('hookline_ingress_turned_away_total', 'reason'), legend: '{{reason}}' }],
        }),
        graph({
          title: 'Records pending / limit',
          description:
            'Records that wait for Kafka, as a share of the limit above which webhooks are refused, per process.',
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
      title: 'Rejections',
      height: 8,
      panels: [
        table({
          title: 'Rejected webhooks in the last hour',
          description: 'By source and error code. GET /v1/sources/{id}/rejections lists the latest ones.',
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
          title: 'Signature failures by source',
          description:
            'Share of the webhooks of each source. The secret was changed on one side only, a clock is wrong, or the webhooks are forged.',
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
      title: 'Deduplication',
      height: 8,
      panels: [
        graph({
          title: 'Records by outcome',
          description:
            'first: a new event. duplicate_changed: a known event id with a different body. republished: completed after a crash. failed: dead-lettered.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf(dedup, 'outcome'), legend: '{{outcome}}' }],
          stacked: true,
        }),
        stat({
          title: 'Duplicate rate',
          description: 'Share of received webhooks, over five minutes.',
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
          title: 'Consumer lag (s)',
          description: 'Age of the oldest record that dedup has not finished.',
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
      title: 'Ingress processes',
      height: 7,
      panels: [
        graph({
          title: 'CPU usage',
          description: 'In cores. A process can use little more than one.',
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
          title: 'Event-loop lag p99',
          description: 'How long tasks wait for the event loop. Above 0.4 s the ingress refuses webhooks.',
          unit: 's',
          width: 8,
          queries: [{ expr: 'nodejs_eventloop_lag_p99_seconds{job="hookline-ingress"} - 0.1', legend: '{{instance}}' }],
          limit: 0.4,
        }),
        graph({
          title: 'Memory',
          description: 'Resident set size. The settings bound it, whatever the load.',
          unit: 'bytes',
          width: 8,
          queries: [{ expr: 'process_resident_memory_bytes{job="hookline-ingress"}', legend: '{{instance}}' }],
        }),
      ],
    },
  ],
};
