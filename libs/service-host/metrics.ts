import { type Metrics, type MetricTable, registerMetrics, traceMetrics, whenRead } from '#lib/telemetry';

export const hostMetrics = {
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
  turns: {
    kind: 'counter',
    name: 'hookline_event_loop_turns_total',
    help: 'Turns of the event loop: each time the process was woken, or had more to do. What one costs is the price of doing things one by one',
    unit: 'turns',
  },
  ...traceMetrics,
} satisfies MetricTable;

export function measureService(registry: Metrics, { version, isReady }: { version: string; isReady(): boolean }): void {
  const { info, ready, turns } = registerMetrics(hostMetrics, registry);
  info.set({ version, node: process.versions.node }, 1);
  whenRead(ready, (gauge) => gauge.set(isReady() ? 1 : 0));
  whenRead(turns, (counter) => {
    counter.reset();
    counter.inc(performance.nodeTiming.uvMetricsInfo.loopCount);
  });
}
