import { dependencyMetrics, type Metrics, type MetricTable, registerMetrics, whenRead } from '#lib/telemetry';

export const redisMetrics = {
  callSeconds: {
    kind: 'histogram',
    name: 'hookline_redis_call_seconds',
    help: 'Duration of a call until its reply or failure',
    unit: 'seconds',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
  },
  calls: {
    kind: 'counter',
    name: 'hookline_redis_calls_total',
    help: 'Calls by outcome: `answered`; `failed`; `refused`: not sent, because Redis did not answer a moment ago',
    unit: 'calls',
    labels: { outcome: ['answered', 'failed', 'refused'] },
  },
} satisfies MetricTable;

export interface RedisMeter {
  /** A call begins. @returns a function to call with its outcome */
  begin(): (outcome: 'answered' | 'failed') => void;
  refused(): void;
}

const none: RedisMeter = { begin: () => () => undefined, refused: () => undefined };

/** @param isUp whether Redis may be used, and answered the last call */
export function measureRedis(registry: Metrics | undefined, isUp: () => boolean): RedisMeter {
  if (registry === undefined) return none;
  const { callSeconds, calls } = registerMetrics(redisMetrics, registry);
  whenRead(registerMetrics(dependencyMetrics, registry).up, (up) => up.set({ dependency: 'redis' }, isUp() ? 1 : 0));
  return {
    begin() {
      const observeSeconds = callSeconds.startTimer();
      return (outcome) => {
        observeSeconds();
        calls.inc({ outcome });
      };
    },
    refused: () => calls.inc({ outcome: 'refused' }),
  };
}
