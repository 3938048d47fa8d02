import { type Metrics, type MetricTable, registerMetrics } from '#lib/telemetry';
import { type WideReason, wideReasons } from './match-narrow.ts';

export const fanOutMetrics = {
  published: {
    kind: 'counter',
    name: 'hookline_events_published_total',
    help: 'Published events by fan-out: `at_once`: together with their deliveries; all others by the fan-out consumer, with the reason: `ordered`: has an ordering key; `stale`: the list of endpoints is outdated; `endpoints`, `bytes`: too many; `filters`: too expensive',
    unit: 'events',
    labels: { fan_out: ['at_once', ...wideReasons] },
  },
} satisfies MetricTable;

export interface FanOutMetrics {
  published(fanOut: WideReason | 'at_once'): void;
}

export function createFanOutMetrics(registry: Metrics): FanOutMetrics {
  const { published } = registerMetrics(fanOutMetrics, registry);
  return { published: (fanOut) => published.inc({ fan_out: fanOut }) };
}
