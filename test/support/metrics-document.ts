import { filterMetrics } from '#lib/event-filter';
import { deadLetterMetrics } from '#lib/dead-letters';
import { fanOutMetrics } from '#lib/fan-out';
import { consumerMetrics, producerMetrics } from '#lib/kafka';
import { clockMetrics, postgresMetrics } from '#lib/postgres';
import { redisMetrics } from '#lib/redis';
import { hostMetrics } from '#lib/service-host';
import { dependencyMetrics, type MetricDefinition, type MetricTable } from '#lib/telemetry';
import { tenancyMetrics } from '#lib/tenancy';
import { apiMetrics } from '../../services/api/metrics.ts';
import { dedupMetrics } from '../../services/dedup/metrics.ts';
import { dispatcherMetrics } from '../../services/dispatcher/metrics.ts';
import { ingressMetrics } from '../../services/ingress/metrics.ts';
import { projectorMetrics } from '../../services/projector/metrics.ts';
import { type ServiceName, serviceNames } from './stack.ts';

/** What each service measures of its own work. */
const ownMetrics: Readonly<Record<ServiceName, MetricTable>> = {
  ingress: ingressMetrics,
  dedup: dedupMetrics,
  dispatcher: dispatcherMetrics,
  projector: projectorMetrics,
  api: apiMetrics,
};

interface Shared {
  title: string;
  metrics: MetricTable;
  services: readonly ServiceName[];
}

const shared: readonly Shared[] = [
  { title: 'The process', metrics: hostMetrics, services: serviceNames },
  { title: 'What it depends on', metrics: { ...dependencyMetrics, ...clockMetrics }, services: serviceNames },
  { title: 'Kafka, written to', metrics: producerMetrics, services: serviceNames },
  { title: 'Kafka, read', metrics: consumerMetrics, services: ['dedup', 'dispatcher', 'projector'] },
  { title: 'Events that are published', metrics: fanOutMetrics, services: ['dedup', 'api'] },
  { title: 'Endpoints’ filters', metrics: filterMetrics, services: ['dispatcher', 'api'] },
  { title: 'Dead letters', metrics: deadLetterMetrics, services: ['dedup', 'dispatcher', 'projector'] },
  { title: 'Postgres', metrics: postgresMetrics, services: serviceNames },
  { title: 'Limits of tenants', metrics: tenancyMetrics, services: ['dispatcher', 'api'] },
  { title: 'Redis', metrics: redisMetrics, services: ['ingress', 'dedup', 'dispatcher', 'api'] },
];

/** All metrics of a service, Node’s and the operating system’s left out. */
export const metricsOf = (service: ServiceName): MetricDefinition[] =>
  [
    ownMetrics[service],
    ...shared.filter(({ services }) => services.includes(service)).map(({ metrics }) => metrics),
  ].flatMap((table) => Object.values(table));

/** The text of docs/metrics.md. */
export function metricsDocument(): string {
  return `# Metrics

Written by \`npm run docs:write\` from the tables in \`services/*/metrics.ts\` and \`libs/*/metrics.ts\`. Each process has them at \`/metrics\` of
its admin port, in Prometheus’s text format, or in OpenMetrics, with exemplars, where that is asked for:
[which port](../README.md#the-services). Beside them stand the metrics of Node and of the process (\`nodejs_…\`, \`process_…\`), as prom-client
names them; \`nodejs_eventloop_lag_p99_seconds\` says how late the process is, the 0.1 s between two looks included.

In one process ([\`hookline serve\`](../services/serve/README.md)) each service keeps its admin port, and a scrape of it shows what that service
measures, as alone, and the metrics of the process they share: \`nodejs_…\`, \`process_…\` and \`hookline_event_loop_turns_total\`, the same on
every port. Take those of one port, or the highest, never their sum. \`nodejs_eventloop_lag_…\` are of the time since the last scrape of any
port: the highest of the ports is right. A service that was built anew (\`hookline_service_rebuilds_total\`) counts from 0, as one that was
started anew does.

A counter whose labels have known values begins at 0 for each of them. The number of series is bounded: no label has an id but \`source\`, and
that for the first 200.

What they look like when all is well, and what to do when not: [dashboards](../deploy/grafana/README.md), [runbook](runbook.md).

${serviceNames.map((service) => section(`Of ${nameOf[service]} alone`, ownMetrics[service])).join('\n')}
${shared.map(({ title, metrics, services }) => section(`${title} (${inWords(services)})`, metrics)).join('\n')}`;
}

const nameOf: Readonly<Record<ServiceName, string>> = {
  ingress: 'the ingress',
  dedup: 'dedup',
  dispatcher: 'the dispatcher',
  projector: 'the projector',
  api: 'the api',
};

const inWords = (services: readonly ServiceName[]): string =>
  services.length === serviceNames.length ? 'every service' : services.map((service) => nameOf[service]).join(', ');

const section = (title: string, table: MetricTable): string =>
  [`## ${title}`, '', '| metric | | unit | labels |', '|---|---|---|---|', ...Object.values(table).map(row), ''].join(
    '\n',
  );

function row({ kind, name, help, unit, labels = {}, buckets, exemplars }: MetricDefinition): string {
  const described = Object.entries(labels).map(([label, values]) => {
    const known = typeof values === 'string' ? values : values.map((value) => `\`${value}\``).join(', ');
    return `\`${label}\`: ${known}`;
  });
  const extent =
    buckets === undefined
      ? ''
      : `, ${buckets.at(0)} to ${buckets.at(-1)?.toLocaleString('en')}${exemplars ? ', with exemplars' : ''}`;
  return `| \`${name}\` | ${help} | ${kind}, ${unit}${extent} | ${described.join('; ')} |`;
}
