import { type Dashboard, graph, quantileBy, quantilesOf, rateOf, stat } from './panel.ts';

const seconds = 'hookline_api_request_seconds';

export const polling: Dashboard = {
  name: 'polling',
  title: 'polling and the api',
  description: 'Clients that wait for events, requests by route, idempotency keys, events that were published.',
  rows: [
    {
      title: 'Long polls',
      height: 8,
      panels: [
        graph({
          title: 'Held requests',
          description: 'That look for events, or wait for some.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'sum by (instance) (hookline_longpoll_waiting)', legend: '{{instance}}' }],
          stacked: true,
        }),
        graph({
          title: 'Until a client hears of a change',
          description: 'From the notice of a change to the answer, the reading between them included.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_longpoll_wakeup_seconds'),
          limit: 1,
        }),
        graph({
          title: 'The projector is behind',
          description: 'What it has not finished can’t be polled yet: the oldest such record’s age.',
          unit: 's',
          width: 8,
          queries: [
            { expr: 'max by (topic) (hookline_consumer_lag_seconds{group=~".*projector"})', legend: '{{topic}}' },
          ],
          limit: 60,
        }),
      ],
    },
    {
      title: 'Requests',
      height: 8,
      panels: [
        graph({
          title: 'By status',
          description: 'Polls that found nothing are 204 or 304.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf(`${seconds}_count`, 'status'), legend: '{{status}}' }],
          stacked: true,
        }),
        graph({
          title: 'By route',
          description: 'The ten that are asked most.',
          unit: 'cps',
          width: 8,
          queries: [
            { expr: `topk(10, ${rateOf(`${seconds}_count`, 'method, route')})`, legend: '{{method}} {{route}}' },
          ],
        }),
        graph({
          title: 'Time by route, p99',
          description: 'Requests for events may be held on purpose, for a minute at most.',
          unit: 's',
          width: 8,
          queries: [quantileBy(seconds, 'route')],
          logarithmic: true,
        }),
      ],
    },
    {
      title: 'Idempotency keys, published events',
      height: 8,
      panels: [
        graph({
          title: 'Requests with a key',
          description:
            'replayed: answered from memory. conflict: another with the key was in progress. mismatch: the key was another request’s. lease_lost: a process stood still.',
          unit: 'cps',
          width: 12,
          queries: [{ expr: rateOf('hookline_idempotency_requests_total', 'outcome'), legend: '{{outcome}}' }],
        }),
        graph({
          title: 'Published, not on their topic yet',
          description: 'Events of POST /v1/events that wait for Kafka or the registry.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'max(hookline_outbox_unpublished)', legend: 'events' }],
        }),
        stat({
          title: 'The oldest waits for',
          description: 'Usual is less than a second.',
          unit: 's',
          width: 4,
          queries: [{ expr: 'max(hookline_outbox_oldest_seconds)', legend: 'oldest' }],
          thresholds: { warn: 10, bad: 60 },
        }),
      ],
    },
    {
      title: 'The processes of the api',
      height: 7,
      panels: [
        graph({
          title: 'Processor',
          description: 'Cores. One process can use little more than one.',
          unit: 'short',
          width: 8,
          queries: [
            { expr: 'rate(process_cpu_seconds_total{job="hookline-api"}[$__rate_interval])', legend: '{{instance}}' },
          ],
          limit: 1,
        }),
        graph({
          title: 'Late by',
          description: 'How long a hundredth of what is to be done waits for its turn.',
          unit: 's',
          width: 8,
          queries: [{ expr: 'nodejs_eventloop_lag_p99_seconds{job="hookline-api"} - 0.1', legend: '{{instance}}' }],
          limit: 0.2,
        }),
        graph({
          title: 'Memory',
          description: 'Resident. Held requests take some 25 kB each.',
          unit: 'bytes',
          width: 8,
          queries: [{ expr: 'process_resident_memory_bytes{job="hookline-api"}', legend: '{{instance}}' }],
        }),
      ],
    },
  ],
};
