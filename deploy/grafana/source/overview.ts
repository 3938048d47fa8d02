import { type Dashboard, graph, quantilesOf, rateOf, stat } from './panel.ts';

const requests = 'hookline_ingress_requests_total';
const attempts = 'hookline_delivery_attempts_total';

export const overview: Dashboard = {
  name: 'overview',
  title: 'overview',
  description: 'Is it healthy, how much, how fast, what is failing.',
  rows: [
    {
      title: 'Is it healthy?',
      height: 4,
      panels: [
        stat({
          title: 'Alerts',
          description: 'That fire now: docs/runbook.md has what each means and what to do.',
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
          title: 'Processes that are ready',
          description: 'Of each service. None: its work stands still.',
          unit: 'short',
          width: 9,
          queries: [{ expr: 'sum by (job) (hookline_service_ready)', legend: '{{job}}' }],
          thresholds: { bad: 1, below: true },
        }),
        stat({
          title: 'Webhooks answered 503',
          description:
            'Part of all, over five minutes. They could not be made durable in time; their senders come again.',
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
          title: 'Behind',
          description:
            'How long the oldest record has waited that is not finished, in the group that is farthest behind.',
          unit: 's',
          width: 4,
          queries: [{ expr: 'max(hookline:consumer_lag_seconds:max)', legend: 'behind' }],
          thresholds: { warn: 10, bad: 60 },
        }),
        stat({
          title: 'Dead letters, 24 h',
          description: 'Of all stages. Those of dedup, fan-out and projector are no endpoint’s fault.',
          unit: 'short',
          width: 4,
          decimals: 0,
          queries: [{ expr: 'sum(increase(hookline_dead_letters_total[24h]))', legend: 'letters' }],
          thresholds: { warn: 1, bad: 1000 },
        }),
      ],
    },
    {
      title: 'How much?',
      height: 8,
      panels: [
        graph({
          title: 'Webhooks received',
          description: 'By what became of them.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf(requests, 'outcome'), legend: '{{outcome}}' }],
          stacked: true,
        }),
        graph({
          title: 'From webhook to delivery',
          description:
            'What goes through each stage. Sends are more than events where there are several endpoints, or retries.',
          unit: 'cps',
          width: 8,
          queries: [
            { expr: rateOf(`${requests}{outcome="accepted"}`), legend: 'webhooks accepted' },
            { expr: rateOf('hookline_dedup_records_total{outcome="first"}'), legend: 'events' },
            { expr: rateOf(attempts), legend: 'sends' },
            { expr: rateOf(`${attempts}{outcome="delivered"}`), legend: 'delivered' },
          ],
        }),
        graph({
          title: 'Records to do',
          description: 'Beyond the committed offset, by consumer group. It should go up and down, and not stay.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'hookline:consumer_lag_records:sum', legend: '{{group}}' }],
        }),
      ],
    },
    {
      title: 'How fast?',
      height: 8,
      panels: [
        graph({
          title: 'Until the sender’s answer',
          description:
            'From a webhook’s headers to Kafka’s acknowledgment. Below 20 ms for 99 of 100 at half of what the ingress can take; 503 from 2 s on.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_ingress_ack_seconds'),
          limit: 0.5,
        }),
        graph({
          title: 'From receipt to delivery',
          description: 'Retries included: the upper quantiles are those of endpoints that fail.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_delivery_end_to_end_seconds'),
          logarithmic: true,
        }),
        graph({
          title: 'The api’s answers',
          description: 'Without the requests for events, which may be held on purpose.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_api_request_seconds', '{route!="/v1/events"}'),
          limit: 1,
        }),
      ],
    },
    {
      title: 'What is failing?',
      height: 8,
      panels: [
        graph({
          title: 'Webhooks refused',
          description: 'All that were not accepted, by the error’s code.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf(`${requests}{outcome!~"accepted|challenge"}`, 'outcome'), legend: '{{outcome}}' }],
        }),
        graph({
          title: 'Sends that failed',
          description: 'By what came of them: an answer that was no 2xx, or none.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf(`${attempts}{outcome!="delivered"}`, 'outcome'), legend: '{{outcome}}' }],
        }),
        graph({
          title: 'What the processes depend on',
          description: '1: it answers all processes of the service; below it, only some of them, or none.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'avg by (dependency, job) (hookline_dependency_up)', legend: '{{dependency}} of {{job}}' }],
        }),
      ],
    },
  ],
};
