import { collectDefaultMetrics, type Counter, type Metric, Registry } from 'prom-client';
import { type Metrics, type MetricTable, registerMetrics, traceMetrics, whenRead } from '#lib/telemetry';

/** Metrics of the process, however many services are in it: each admin port shows the same. */
const processMetrics = {
  turns: {
    kind: 'counter',
    name: 'hookline_event_loop_turns_total',
    help: 'Iterations of the event loop. Many iterations per record mean that little work is done in batches',
    unit: 'turns',
  },
} satisfies MetricTable;

/** Metrics of a service that survive its rebuilds. */
const serviceMetrics = {
  info: {
    kind: 'gauge',
    name: 'hookline_service_info',
    help: 'Always 1; the labels have the versions',
    unit: 'processes',
    labels: { version: 'version of Hookline', node: 'version of Node' },
  },
  ready: {
    kind: 'gauge',
    name: 'hookline_service_ready',
    help: '1 while `/readyz` is 200: the service has started, is not stopping, and each of its consumers is a member of its group',
    unit: 'boolean',
  },
  rebuilds: {
    kind: 'counter',
    name: 'hookline_service_rebuilds_total',
    help: 'Times that the service failed and was rebuilt alone in a process shared with other services; its other counters restart at 0',
    unit: 'rebuilds',
  },
} satisfies MetricTable;

export const hostMetrics = { ...serviceMetrics, ...processMetrics, ...traceMetrics } satisfies MetricTable;

/** Interval of measuring the event-loop lag. prom-client's 10 ms would wake an idle loop a hundred times a second. */
const loopLookMs = 100;

/** Once a process. */
export function measureProcess(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopLookMs });
  const { turns } = registerMetrics(processMetrics, registry);
  whenRead(turns, (counter) => {
    counter.reset();
    counter.inc(performance.nodeTiming.uvMetricsInfo.loopCount);
  });
  return registry;
}

/** @returns the count of its rebuilds */
export function measureService(
  registry: Metrics,
  { version, isReady }: { version: string; isReady(): boolean },
): Counter {
  const { info, ready, rebuilds } = registerMetrics(serviceMetrics, registry);
  info.set({ version, node: process.versions.node }, 1);
  whenRead(ready, (gauge) => gauge.set(isReady() ? 1 : 0));
  return rebuilds;
}

/** A registry with all metrics of these. @throws Error if two of them share a name */
export function mergeRegistries(registries: readonly Registry[]): Registry {
  const united = new Registry();
  for (const registry of registries)
    for (const metric of registry.getMetricsAsArray()) united.registerMetric(metric as unknown as Metric);
  return united;
}
