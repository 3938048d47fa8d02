import {
  type AttemptOutcome,
  attemptOutcomes,
  endpointDefaults,
  type WaitingStatus,
  waitingStatuses,
} from '#lib/contract';
import { deadLetterCounter } from '#lib/dead-letters';
import { type Exemplar, type Metrics, type MetricTable, observe, registerMetrics } from '#lib/telemetry';

const breakerStates = ['open', 'half-open', 'shrunk', 'slow'] as const;

export const dispatcherMetrics = {
  attempts: {
    kind: 'counter',
    name: 'hookline_delivery_attempts_total',
    help: 'Delivery attempts by outcome',
    unit: 'attempts',
    labels: { outcome: attemptOutcomes },
  },
  attemptSeconds: {
    kind: 'histogram',
    name: 'hookline_delivery_attempt_seconds',
    help: 'Duration of an attempt, from the request to the response or failure',
    unit: 'seconds',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    exemplars: true,
  },
  endToEndSeconds: {
    kind: 'histogram',
    name: 'hookline_delivery_end_to_end_seconds',
    help: 'Time from the receipt of a webhook to its delivery, retries included',
    unit: 'seconds',
    buckets: [
      0.01,
      0.025,
      0.05,
      0.1,
      0.25,
      0.5,
      1,
      5,
      30,
      300,
      3_600,
      21_600,
      86_400,
      endpointDefaults.retry.window_seconds,
    ],
    exemplars: true,
  },
  inFlight: {
    kind: 'gauge',
    name: 'hookline_deliveries_in_flight',
    help: 'Attempts in flight',
    unit: 'attempts',
  },
  maxInFlight: {
    kind: 'gauge',
    name: 'hookline_deliveries_in_flight_max',
    help: 'Limit on attempts in flight: `HOOKLINE_DISPATCHER_MAX_IN_FLIGHT`',
    unit: 'attempts',
  },
  waiting: {
    kind: 'gauge',
    name: 'hookline_deliveries_waiting',
    help: 'Deliveries waiting for a retry (`retrying`) or for room (`parked`), in the partitions of this process; counted every ten seconds, estimated from a sample if the table exceeds 8 MiB',
    unit: 'deliveries',
    labels: { state: waitingStatuses },
  },
  dueError: {
    kind: 'histogram',
    name: 'hookline_retry_due_error_seconds',
    help: 'Delay of retries: time from when a retry is due and its endpoint has room until it is sent',
    unit: 'seconds',
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 600],
  },
  breakers: {
    kind: 'gauge',
    name: 'hookline_endpoint_breaker_state',
    help: 'Endpoints by circuit breaker state, healthy ones left out: `open`; `half-open`; `shrunk`: closed with a reduced number of connections; `slow`: attempts that hold their places for two seconds or more',
    unit: 'endpoints',
    labels: { state: breakerStates },
  },
  endpointsDisabled: {
    kind: 'counter',
    name: 'hookline_endpoints_disabled_total',
    help: 'Endpoints that Hookline disabled: `gone`: answered 410; `failing`: failed for too long',
    unit: 'endpoints',
    labels: { reason: ['gone', 'failing'] },
  },
  deadLetters: deadLetterCounter(
    'Records written to the dead-letter topic: malformed records, and deliveries that ended without success',
    ['fan-out', 'dispatcher'],
  ),
  replays: {
    kind: 'counter',
    name: 'hookline_replay_items_total',
    help: 'Items of replays by outcome: `replayed`, or the reason for which they could not be sent',
    unit: 'items',
    labels: {
      outcome: [
        'replayed',
        'letter_removed',
        'letter_shortened',
        'batch_undecodable',
        'topic_unknown',
        'payload_expired',
        'refused_by_kafka',
        'endpoint_unknown',
        'endpoint_deleted',
        'endpoint_disabled',
      ],
    },
  },
} satisfies MetricTable;

export interface DispatcherMetrics {
  sendBegan(): void;
  sendEnded(): void;
  attempted(outcome: AttemptOutcome, seconds: number, exemplar?: Exemplar): void;
  /** From the webhook's receipt. */
  delivered(endToEndSeconds: number, exemplar?: Exemplar): void;
  /** A retry is sent this long after it was due. */
  retryStarted(lateSeconds: number): void;
  waiting(counts: Readonly<Record<WaitingStatus, number>>): void;
  /** Endpoints that are not sent to as usual. */
  breakers(counts: Readonly<Record<(typeof breakerStates)[number], number>>): void;
  endpointDisabled(reason: 'gone' | 'failing'): void;
  /** `replayed`, or why not. */
  replayed(outcome: string): void;
}

export function createDispatcherMetrics(registry: Metrics, limits: { maxInFlight: number }): DispatcherMetrics {
  const metrics = registerMetrics(dispatcherMetrics, registry);
  metrics.maxInFlight.set(limits.maxInFlight);
  for (const state of breakerStates) metrics.breakers.set({ state }, 0);
  return {
    sendBegan: () => metrics.inFlight.inc(),
    sendEnded: () => metrics.inFlight.dec(),
    attempted(outcome, seconds, exemplar) {
      metrics.attempts.inc({ outcome });
      observe(metrics.attemptSeconds, seconds, { exemplar });
    },
    delivered: (seconds, exemplar) => observe(metrics.endToEndSeconds, seconds, { exemplar }),
    retryStarted: (seconds) => metrics.dueError.observe(Math.max(0, seconds)),
    endpointDisabled: (reason) => metrics.endpointsDisabled.inc({ reason }),
    replayed: (outcome) => metrics.replays.inc({ outcome }),
    waiting(counts) {
      for (const state of waitingStatuses) metrics.waiting.set({ state }, counts[state]);
    },
    breakers(counts) {
      for (const state of breakerStates) metrics.breakers.set({ state }, counts[state]);
    },
  };
}
