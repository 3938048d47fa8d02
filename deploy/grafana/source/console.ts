import { type Dashboard, graph, quantileBy, quantilesOf, type Query, rateOf } from './panel.ts';

const seconds = 'hookline_console_request_seconds';
const apiSeconds = 'hookline_console_api_call_seconds';

export const consolePages: Dashboard = {
  name: 'console',
  title: 'console',
  description: 'Pages by status and latency, the calls to the API behind them, sign-ins.',
  rows: [
    {
      title: 'Pages',
      height: 8,
      panels: [
        graph({
          title: 'Requests by status',
          description:
            '401 is the sign-in page, 404 also a filter that matches nothing. 503: the API does not answer, or is without Postgres.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf('hookline_console_requests_total', 'status'), legend: '{{status}}' }],
          stacked: true,
        }),
        graph({
          title: 'Page latency',
          description:
            'From the headers to the end of the response, the calls to the API included. Usual is a p95 below 150 ms.',
          unit: 's',
          width: 8,
          queries: quantilesOf(seconds, '', [0.5, 0.95, 0.99]),
          limit: 1,
        }),
        graph({
          title: 'Latency by page, p95',
          description: 'The ten slowest pages.',
          unit: 's',
          width: 8,
          queries: [topOf(10, quantileBy(seconds, 'route', 0.95))],
        }),
      ],
    },
    {
      title: 'The API behind them',
      height: 8,
      panels: [
        graph({
          title: 'API calls by outcome',
          description: 'none: no connection, or no answer within five seconds. 4xx are also pages that do not exist.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf(`${apiSeconds}_count`, 'outcome'), legend: '{{outcome}}' }],
          stacked: true,
        }),
        graph({
          title: 'API call latency by outcome, p95',
          description: 'As the console sees it, the way there included. A page makes one to a few calls.',
          unit: 's',
          width: 8,
          queries: [quantileBy(apiSeconds, 'outcome', 0.95)],
          limit: 1,
        }),
        graph({
          title: 'Sign-ins by outcome',
          description:
            'refused: the key or code is wrong, or must not make sessions. limited: too many attempts from one address. failed: the API did not answer.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf('hookline_console_sign_ins_total', 'outcome'), legend: '{{outcome}}' }],
        }),
      ],
    },
    {
      title: 'Console processes',
      height: 7,
      panels: [
        graph({
          title: 'CPU usage',
          description: 'In cores. A process can use little more than one.',
          unit: 'short',
          width: 8,
          queries: [
            {
              expr: 'rate(process_cpu_seconds_total{job="hookline-console"}[$__rate_interval])',
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
          queries: [{ expr: 'nodejs_eventloop_lag_p99_seconds{job="hookline-console"} - 0.1', legend: '{{instance}}' }],
          limit: 0.2,
        }),
        graph({
          title: 'Memory',
          description: 'Resident set size. Usual is 130 to 200 MiB.',
          unit: 'bytes',
          width: 8,
          queries: [{ expr: 'process_resident_memory_bytes{job="hookline-console"}', legend: '{{instance}}' }],
        }),
      ],
    },
  ],
};

function topOf(count: number, { expr, legend }: Query): Query {
  return { expr: `topk(${count}, ${expr})`, legend };
}
