import type { AttemptOutcome, DeadLetterStage } from '#lib/contract';
import { Counter, Gauge, Histogram, type Metrics } from '#lib/telemetry';

export interface DispatcherMetrics {
  attempted(outcome: AttemptOutcome, seconds: number): void;
  /** From the webhook's receipt. */
  delivered(endToEndSeconds: number): void;
  deadLettered(stage: DeadLetterStage, reason: string): void;
  /** A retry is sent this long after it was due. */
  retryStarted(lateSeconds: number): void;
  waiting(counts: { retrying: number; parked: number }): void;
  /** Endpoints that are not sent to as usual. */
  breakers(counts: Readonly<Record<'open' | 'half-open' | 'shrunk', number>>): void;
  endpointDisabled(reason: 'gone' | 'failing'): void;
  /** `replayed`, or why not. */
  replayed(outcome: string): void;
}

export function createDispatcherMetrics(registry: Metrics): DispatcherMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'hookline_delivery_attempts_total',
    help: 'Sends to endpoints by what they came to',
    labelNames: ['outcome'],
    registers,
  });
  const attemptSeconds = new Histogram({
    name: 'hookline_delivery_attempt_seconds',
    help: 'One send, from the request to the answer or failure',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const endToEnd = new Histogram({
    name: 'hookline_delivery_end_to_end_seconds',
    help: 'From the receipt of a webhook to its delivery, retries included',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3_600, 21_600, 86_400, 259_200],
    registers,
  });
  const letters = new Counter({
    name: 'hookline_dead_letters_total',
    help: 'Records written to the dead-letter topic',
    labelNames: ['stage', 'reason'],
    registers,
  });
  const dueError = new Histogram({
    name: 'hookline_retry_due_error_seconds',
    help: 'How long after its due time a retry was sent',
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 600],
    registers,
  });
  const waiting = new Gauge({
    name: 'hookline_deliveries_waiting',
    help: 'Deliveries that wait for a time or for room, in the partitions of this process',
    labelNames: ['state'],
    registers,
  });
  const breakers = new Gauge({
    name: 'hookline_endpoint_breaker_state',
    help: 'Endpoints that are not sent to as usual: open, half-open, or closed with fewer connections than they may have (shrunk)',
    labelNames: ['state'],
    registers,
  });
  for (const state of ['open', 'half-open', 'shrunk']) breakers.set({ state }, 0);
  const disabled = new Counter({
    name: 'hookline_endpoints_disabled_total',
    help: 'Endpoints given up: they answered 410 (gone), or took nothing for too long (failing)',
    labelNames: ['reason'],
    registers,
  });
  const replays = new Counter({
    name: 'hookline_replay_items_total',
    help: 'What replays have sent again, and why what they have not',
    labelNames: ['outcome'],
    registers,
  });
  return {
    attempted(outcome, seconds) {
      attempts.inc({ outcome });
      attemptSeconds.observe(seconds);
    },
    delivered: (seconds) => endToEnd.observe(seconds),
    deadLettered: (stage, reason) => letters.inc({ stage, reason }),
    retryStarted: (seconds) => dueError.observe(Math.max(0, seconds)),
    endpointDisabled: (reason) => disabled.inc({ reason }),
    replayed: (outcome) => replays.inc({ outcome }),
    waiting({ retrying, parked }) {
      waiting.set({ state: 'retrying' }, retrying);
      waiting.set({ state: 'parked' }, parked);
    },
    breakers(counts) {
      for (const [state, endpoints] of Object.entries(counts)) breakers.set({ state }, endpoints);
    },
  };
}
