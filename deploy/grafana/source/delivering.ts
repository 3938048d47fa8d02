import { type Dashboard, graph, quantilesOf, rateOf, stat } from './panel.ts';

const attempts = 'hookline_delivery_attempts_total';

export const delivering: Dashboard = {
  name: 'delivering',
  title: 'delivering',
  description: 'From the event to the endpoints: sends, their health, what waits.',
  rows: [
    {
      title: 'Sends',
      height: 8,
      panels: [
        graph({
          title: 'By what came of them',
          description:
            'delivered: any 2xx. connect, tls, timeout: nobody answered. blocked: the address is one that may not be sent to.',
          unit: 'cps',
          width: 12,
          queries: [{ expr: rateOf(attempts, 'outcome'), legend: '{{outcome}}' }],
          stacked: true,
        }),
        graph({
          title: 'Time of one send',
          description: 'From the request to the answer or failure. Five seconds are the usual limit.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_delivery_attempt_seconds'),
        }),
        stat({
          title: 'Delivered',
          description: 'Part of all sends in five minutes.',
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
      title: 'From receipt to delivery',
      height: 8,
      panels: [
        graph({
          title: 'How long it takes',
          description: 'Retries included: the upper quantiles are those of endpoints that fail.',
          unit: 's',
          width: 8,
          queries: quantilesOf('hookline_delivery_end_to_end_seconds'),
          logarithmic: true,
        }),
        graph({
          title: 'Sends under way',
          description: 'Against the bound of HOOKLINE_DISPATCHER_MAX_IN_FLIGHT, each process by itself.',
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
          title: 'Behind',
          description:
            'How long the oldest record has waited that fan-out and dispatcher have not finished. A delivery that finds no room within 30 s is parked.',
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
          title: 'Not sent to as usual',
          description:
            'open: left alone but for a probe. half-open: tried. shrunk: answers too slowly for all of its connections. The others are healthy.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'sum by (state) (hookline_endpoint_breaker_state)', legend: '{{state}}' }],
          stacked: true,
        }),
        graph({
          title: 'Disabled within the hour',
          description: 'gone: answered 410. failing: took nothing for days.',
          unit: 'short',
          width: 8,
          queries: [
            { expr: 'sum by (reason) (increase(hookline_endpoints_disabled_total[1h]))', legend: '{{reason}}' },
          ],
        }),
        graph({
          title: 'Deliveries that wait',
          description: 'retrying: for their time. parked: for room. They cost a row each, and delay no other endpoint.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'hookline:deliveries_waiting:sum', legend: '{{state}}' }],
          stacked: true,
        }),
      ],
    },
    {
      title: 'The processes of the dispatcher',
      height: 7,
      panels: [
        graph({
          title: 'Processor',
          description: 'Cores. One process can use little more than one.',
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
          title: 'Late by',
          description: 'How long a hundredth of what is to be done waits for its turn.',
          unit: 's',
          width: 8,
          queries: [
            { expr: 'nodejs_eventloop_lag_p99_seconds{job="hookline-dispatcher"} - 0.1', legend: '{{instance}}' },
          ],
          limit: 0.2,
        }),
        graph({
          title: 'Memory',
          description: 'Resident. It is bounded by the settings, however much waits.',
          unit: 'bytes',
          width: 8,
          queries: [{ expr: 'process_resident_memory_bytes{job="hookline-dispatcher"}', legend: '{{instance}}' }],
        }),
      ],
    },
  ],
};
