import { collectDefaultMetrics, type Counter, type Metric, Registry } from 'prom-client';
import { type Metrics, type MetricTable, registerMetrics, traceMetrics, whenRead } from '#lib/telemetry';

/** Metrics of the process, however many services are in it: each admin port shows the same. */
const processMetrics = {
  turns: {
    kind: 'counter',
    name: 'hookline_event_loop_turns_total',
    help: 'Turns of the event loop: each time the process was woken, or had more to do. What one costs is the price of doing things one by one',
    unit: 'turns',
  },
} satisfies MetricTable;

/** Metrics of a service; they live on when it is built anew. */
const serviceMetrics = {
  info: {
    kind: 'gauge',
    name: 'hookline_service_info',
    help: 'Always 1; what runs is in the labels',
    unit: 'processes',
    labels: { version: 'of Hookline', node: 'of Node' },
  },
  ready: {
    kind: 'gauge',
    name: 'hookline_service_ready',
    help: 'What `/readyz` says: 1 from the end of the start to the beginning of the stop, while each of its consumers is a member of its group',
    unit: 'boolean',
  },
  rebuilds: {
    kind: 'counter',
    name: 'hookline_service_rebuilds_total',
    help: 'Times the service failed and was built anew, alone, in a process that it shares with others; its other counters begin at 0 then',
    unit: 'rebuilds',
  },
} satisfies MetricTable;

export const hostMetrics = { ...serviceMetrics, ...processMetrics, ...traceMetrics } satisfies MetricTable;

/** Between two looks at how late the event loop is. prom-client’s 10 ms turn a loop a hundred times a second that has nothing to do. */
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

/** A registry that has all metrics of these. @throws Error where two of them have a name in common */
export function uniteRegistries(registries: readonly Registry[]): Registry {
  const united = new Registry();
  for (const registry of registries)
    for (const metric of registry.getMetricsAsArray()) united.registerMetric(metric as unknown as Metric);
  return united;
}
