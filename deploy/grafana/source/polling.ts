import { type Dashboard, graph, quantileBy, quantilesOf, rateOf, stat } from './panel.ts';

const seconds = 'hookline_api_request_seconds';

export const polling: Dashboard = {
  name: 'polling',
  title: 'API and polling',
  description: 'Long polls, requests by status and route, idempotency keys, the outbox of published events.',
  rows: [
    {
      title: 'Long polls',
      height: 8,
      panels: [
        graph({
          title: 'Open long polls',
          description: 'Requests that read events or wait for new ones.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'sum by (instance) (hookline_longpoll_waiting)', legend: '{{instance}}' }],
          stacked: true,
        }),
        graph({
          title: 'Long-poll wake-up latency',
          description: 'From the notification of a change to the response, reading the events included.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_longpoll_wakeup_seconds'),
          limit: 1,
        }),
        graph({
          title: 'Consumer lag of the projector (s)',
          description: 'Age of the oldest record that the projector has not finished. Clients cannot read it yet.',
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
          title: 'Requests by status',
          description: 'A poll without new events is a 204 or 304.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf(`${seconds}_count`, 'status'), legend: '{{status}}' }],
          stacked: true,
        }),
        graph({
          title: 'Requests by route',
          description: 'The ten busiest routes.',
          unit: 'cps',
          width: 8,
          queries: [
            { expr: `topk(10, ${rateOf(`${seconds}_count`, 'method, route')})`, legend: '{{method}} {{route}}' },
          ],
        }),
        graph({
          title: 'Latency by route, p99',
          description: 'A long poll is held for up to a minute.',
          unit: 's',
          width: 8,
          queries: [quantileBy(seconds, 'route')],
          logarithmic: true,
        }),
      ],
    },
    {
      title: 'Idempotency keys and the outbox',
      height: 8,
      panels: [
        graph({
          title: 'Requests with an idempotency key by outcome',
          description:
            'replayed: answered with the stored response. conflict: a request with this key was in progress. mismatch: this key was used with a different request. lease_lost: the request outlived its lease.',
          unit: 'cps',
          width: 12,
          queries: [{ expr: rateOf('hookline_idempotency_requests_total', 'outcome'), legend: '{{outcome}}' }],
        }),
        graph({
          title: 'Outbox: unpublished events',
          description: 'Events of POST /v1/events that wait for Kafka or the schema registry.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'max(hookline_outbox_unpublished)', legend: 'events' }],
        }),
        stat({
          title: 'Outbox: oldest event',
          description: 'Normal is less than a second.',
          unit: 's',
          width: 4,
          queries: [{ expr: 'max(hookline_outbox_oldest_seconds)', legend: 'oldest' }],
          thresholds: { warn: 10, bad: 60 },
        }),
      ],
    },
    {
      title: 'API processes',
      height: 7,
      panels: [
        graph({
          title: 'CPU usage',
          description: 'In cores. A process can use little more than one.',
          unit: 'short',
          width: 8,
          queries: [
            { expr: 'rate(process_cpu_seconds_total{job="hookline-api"}[$__rate_interval])', legend: '{{instance}}' },
          ],
          limit: 1,
        }),
        graph({
          title: 'Event-loop lag p99',
          description: 'How long tasks wait for the event loop. High values mean too little CPU time.',
          unit: 's',
          width: 8,
          queries: [{ expr: 'nodejs_eventloop_lag_p99_seconds{job="hookline-api"} - 0.1', legend: '{{instance}}' }],
          limit: 0.2,
        }),
        graph({
          title: 'Memory',
          description: 'Resident set size. Each open long poll takes about 25 kB.',
          unit: 'bytes',
          width: 8,
          queries: [{ expr: 'process_resident_memory_bytes{job="hookline-api"}', legend: '{{instance}}' }],
        }),
      ],
    },
  ],
};
