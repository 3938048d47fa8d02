import { type Dashboard, graph, quantilesOf, rateOf, stat } from './panel.ts';

const attempts = 'hookline_delivery_attempts_total';

export const delivering: Dashboard = {
  name: 'delivering',
  title: 'deliveries',
  description: 'From the event to the endpoints: attempts, circuit breakers, waiting deliveries.',
  rows: [
    {
      title: 'Attempts',
      height: 8,
      panels: [
        graph({
          title: 'Attempts by outcome',
          description:
            'delivered: any 2xx. connect, tls, timeout: no response. blocked: sending to this address is not allowed.',
          unit: 'cps',
          width: 12,
          queries: [{ expr: rateOf(attempts, 'outcome'), legend: '{{outcome}}' }],
          stacked: true,
        }),
        graph({
          title: 'Attempt duration',
          description: 'From the request to the response or failure. The time-out is five seconds by default.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_delivery_attempt_seconds'),
        }),
        stat({
          title: 'Success rate',
          description: 'Share of attempts answered with a 2xx, over five minutes.',
          unit: 'percentunit',
          width: 4,
          queries: [
            {
              expr: 'sum(hookline:delivery_attempts:rate5m{outcome="delivered"}) / (sum(hookline:delivery_attempts:rate5m) > 0)',
              legend: 'delivered',
            },
          ],
          thresholds: { warn: 0.95, bad: 0.5, below: true },
        }),
      ],
    },
    {
      title: 'Latency and lag',
      height: 8,
      panels: [
        graph({
          title: 'End-to-end delivery latency',
          description: 'From receipt to success, retries included: failing endpoints make up the upper quantiles.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_delivery_end_to_end_seconds'),
          logarithmic: true,
        }),
        graph({
          title: 'In-flight attempts / limit',
          description: 'Share of HOOKLINE_DISPATCHER_MAX_IN_FLIGHT that is in use, per process.',
          unit: 'percentunit',
          width: 8,
          queries: [
            {
              expr: 'max by (instance) (hookline_deliveries_in_flight / hookline_deliveries_in_flight_max)',
              legend: '{{instance}}',
            },
          ],
          limit: 1,
        }),
        graph({
          title: 'Consumer lag (s)',
          description:
            'Age of the oldest record that fan-out or the dispatcher has not finished. A delivery that finds no room within 30 s is parked.',
          unit: 's',
          width: 8,
          queries: [
            { expr: 'hookline:consumer_lag_seconds:max{group=~".*(fan-out|dispatcher)"}', legend: '{{group}}' },
          ],
          limit: 60,
        }),
      ],
    },
    {
      title: 'Endpoints',
      height: 8,
      panels: [
        graph({
          title: 'Circuit breakers by state',
          description:
            'open: only probes are sent. half-open: being tried. shrunk: one connection, because the endpoint times out. All other endpoints are closed (healthy).',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'sum by (state) (hookline_endpoint_breaker_state)', legend: '{{state}}' }],
          stacked: true,
        }),
        graph({
          title: 'Endpoints disabled in the last hour',
          description: 'gone: the endpoint answered 410. failing: it failed for days.',
          unit: 'short',
          width: 8,
          queries: [
            { expr: 'sum by (reason) (increase(hookline_endpoints_disabled_total[1h]))', legend: '{{reason}}' },
          ],
        }),
        graph({
          title: 'Waiting deliveries by state',
          description:
            'retrying: waiting for the next attempt. parked: waiting for room. Each is one row, and delays no other endpoint.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'hookline:deliveries_waiting:sum', legend: '{{state}}' }],
          stacked: true,
        }),
      ],
    },
    {
      title: 'Dispatcher processes',
      height: 7,
      panels: [
        graph({
          title: 'CPU usage',
          description: 'In cores. A process can use little more than one.',
          unit: 'short',
          width: 8,
          queries: [
            {
              expr: 'rate(process_cpu_seconds_total{job="hookline-dispatcher"}[$__rate_interval])',
              legend: '{{instance}}',
            },
          ],
          limit: 1,
        }),
        graph({
          title: 'Event-loop lag p99',
          description: 'How long tasks wait for the event loop. High values mean too little CPU time.',
          unit: 's',
          width: 8,
          queries: [
            { expr: 'nodejs_eventloop_lag_p99_seconds{job="hookline-dispatcher"} - 0.1', legend: '{{instance}}' },
          ],
          limit: 0.2,
        }),
        graph({
          title: 'Memory',
          description: 'Resident set size. The settings bound it, whatever the backlog.',
          unit: 'bytes',
          width: 8,
          queries: [{ expr: 'process_resident_memory_bytes{job="hookline-dispatcher"}', legend: '{{instance}}' }],
        }),
      ],
    },
  ],
};
