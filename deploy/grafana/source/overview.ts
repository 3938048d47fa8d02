import { type Dashboard, graph, quantilesOf, rateOf, stat } from './panel.ts';

const requests = 'hookline_ingress_requests_total';
const attempts = 'hookline_delivery_attempts_total';

export const overview: Dashboard = {
  name: 'overview',
  title: 'overview',
  description: 'Health, traffic, latency and errors of the whole system.',
  rows: [
    {
      title: 'Health',
      height: 4,
      panels: [
        stat({
          title: 'Firing alerts',
          description: 'docs/runbook.md says what each alert means and what to do.',
          unit: 'short',
          width: 3,
          queries: [
            {
              expr: 'count(ALERTS{alertname=~"Hookline.+", alertstate="firing", severity!="info"}) or vector(0)',
              legend: 'alerts',
            },
          ],
          thresholds: { bad: 1 },
        }),
        stat({
          title: 'Ready processes',
          description: 'Per service. At 0 the service does no work.',
          unit: 'short',
          width: 9,
          queries: [{ expr: 'sum by (job) (hookline_service_ready)', legend: '{{job}}' }],
          thresholds: { bad: 1, below: true },
        }),
        stat({
          title: 'Webhooks answered 503',
          description:
            'Share of all webhooks, over five minutes. They could not be made durable in time; providers are expected to retry.',
          unit: 'percentunit',
          width: 4,
          queries: [
            {
              expr: '(sum(hookline:ingress_requests:rate5m{outcome=~"unavailable|internal_error"}) or vector(0)) / (sum(hookline:ingress_requests:rate5m) > 0)',
              legend: '503',
            },
          ],
          thresholds: { warn: 0.001, bad: 0.01 },
        }),
        stat({
          title: 'Consumer lag (s)',
          description: 'Age of the oldest unfinished record, in the consumer group with the highest lag.',
          unit: 's',
          width: 4,
          queries: [{ expr: 'max(hookline:consumer_lag_seconds:max)', legend: 'lag' }],
          thresholds: { warn: 10, bad: 60 },
        }),
        stat({
          title: 'Dead letters, 24 h',
          description: 'All stages. Dead letters of dedup, fan-out and projector are not an endpoint’s fault.',
          unit: 'short',
          width: 4,
          decimals: 0,
          queries: [{ expr: 'sum(increase(hookline_dead_letters_total[24h]))', legend: 'dead letters' }],
          thresholds: { warn: 1, bad: 1000 },
        }),
      ],
    },
    {
      title: 'Traffic',
      height: 8,
      panels: [
        graph({
          title: 'Webhooks by outcome',
          description: 'accepted, or the error code (docs/errors.md).',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf(requests, 'outcome'), legend: '{{outcome}}' }],
          stacked: true,
        }),
        graph({
          title: 'Throughput by stage',
          description: 'Attempts outnumber events where an event has several endpoints, or retries.',
          unit: 'cps',
          width: 8,
          queries: [
            { expr: rateOf(`${requests}{outcome="accepted"}`), legend: 'webhooks accepted' },
            { expr: rateOf('hookline_dedup_records_total{outcome="first"}'), legend: 'events' },
            { expr: rateOf(attempts), legend: 'attempts' },
            { expr: rateOf(`${attempts}{outcome="delivered"}`), legend: 'delivered' },
          ],
        }),
        graph({
          title: 'Consumer lag (records)',
          description: 'Records after the committed offset, by consumer group. It should return to about zero.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'hookline:consumer_lag_records:sum', legend: '{{group}}' }],
        }),
      ],
    },
    {
      title: 'Latency',
      height: 8,
      panels: [
        graph({
          title: 'Webhook acknowledgment latency',
          description:
            'From a webhook’s headers to the acknowledgment by Kafka. p99 is below 20 ms at half of the maximum throughput; after 2 s the answer is 503.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_ingress_ack_seconds'),
          limit: 0.5,
        }),
        graph({
          title: 'End-to-end delivery latency',
          description: 'From receipt to success, retries included: failing endpoints make up the upper quantiles.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_delivery_end_to_end_seconds'),
          logarithmic: true,
        }),
        graph({
          title: 'API latency',
          description: 'Long polls (GET /v1/events) are not counted.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_api_request_seconds', '{route!="/v1/events"}'),
          limit: 1,
        }),
      ],
    },
    {
      title: 'Errors',
      height: 8,
      panels: [
        graph({
          title: 'Rejected webhooks by error code',
          description: 'All webhooks that were not accepted.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf(`${requests}{outcome!~"accepted|challenge"}`, 'outcome'), legend: '{{outcome}}' }],
        }),
        graph({
          title: 'Failed attempts by outcome',
          description: 'The response was not a 2xx, or there was none.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf(`${attempts}{outcome!="delivered"}`, 'outcome'), legend: '{{outcome}}' }],
        }),
        graph({
          title: 'Availability of Kafka, Postgres and Redis',
          description: 'Share of the processes of each service that get answers: 1 is all, 0 is none.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'avg by (dependency, job) (hookline_dependency_up)', legend: '{{dependency}} of {{job}}' }],
        }),
      ],
    },
  ],
};
