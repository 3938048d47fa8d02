import { type Metrics, type MetricTable, registerMetrics } from '#lib/telemetry';
import { type WideReason, wideReasons } from './match-narrow.ts';

export const fanOutMetrics = {
  published: {
    kind: 'counter',
    name: 'hookline_events_published_total',
    help: 'Events published, by how they are fanned out: `at_once`, with their deliveries; else by the fan-out consumer, because of an ordering key (`ordered`), a list of endpoints that is not fresh (`stale`), many `endpoints`, many `bytes`, or `filters` that take long',
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
