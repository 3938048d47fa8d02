/**
 * Has senders wait for their answer while the deliveries of their own tenant are late: one that sends its next webhook after the answer sends less,
 * and what it has sent arrives. A webhook is in Kafka by then, so the wait risks nothing; and lag alone refuses none.
 *
 *   lag          0 ─── 250 ms ───────────── 2 s ─── …
 *   the wait     none     0 ──── grows ──── all      (HOOKLINE_INGRESS_MAX_DELAY_MS)
 */
import { lagFromMs, type LagReading } from '#lib/lag';
import type { Clock } from '#lib/runtime';
import type { IngressMetrics } from '../metrics.ts';
import { answerWithinMs, answeringMs } from './admission.ts';

export interface AnswerDelay {
  /** Resolves when the answer to an accepted webhook may be given. @param spentMs since its headers */
  wait(tenant: string, spentMs: number): Promise<void>;
  /** Ends all waits, and those that come. */
  end(): void;
}

interface Options {
  lag: LagReading;
  maxDelayMs: number;
  clock: Clock;
  metrics: Pick<IngressMetrics, 'answerDelayed'>;
}

/** From here on senders wait for as long as they may. */
const fullFromMs = 2_000;
/** Shorter than what a timer can tell. */
const leastMs = 1;

export function createAnswerDelay({ lag, maxDelayMs, clock, metrics }: Options): AnswerDelay {
  const ending = new AbortController();

  function delayMs(tenant: string, spentMs: number): number {
    const part = (lag.lagOf(tenant) - lagFromMs) / (fullFromMs - lagFromMs);
    return Math.min(Math.min(1, part) * maxDelayMs, answerWithinMs - answeringMs - spentMs);
  }

  return {
    async wait(tenant, spentMs) {
      if (maxDelayMs === 0 || ending.signal.aborted) return;
      const waitMs = delayMs(tenant, spentMs);
      if (waitMs < leastMs) return;
      metrics.answerDelayed(waitMs / 1_000);
      await clock.sleep(waitMs, ending.signal);
    },
    end: () => ending.abort(),
  };
}
