/**
 * The circuit breaker of one endpoint, in the memory of the process that owns it.
 *
 * | state     | what is sent                    | success                      | failure                      | asked to wait        |
 * |-----------|---------------------------------|------------------------------|------------------------------|----------------------|
 * | closed    | as much as the lane may         | closed, resets the counts    | counts; enough of it → open  | –                    |
 * | open      | nothing until the probe's time, | –                            | –                            | –                    |
 * |           | then one delivery → probing     |                              |                              |                      |
 * | probing   | nothing beside the probe        | → half-open                  | → open, for longer           | → open, for that long |
 * | half-open | one at a time                   | counts; enough of it → closed | → open, for longer          | –                    |
 *
 * A probe that was not sent returns to open, and the next may follow at once. Sends that began before the breaker opened are not counted.
 *
 * It opens when different deliveries fail one after the other over half a minute. A failure ratio would not do: an endpoint that accepts
 * one in ten is worth sending to, and each failed delivery waits for its own retry. One delivery that fails whenever it is sent says
 * nothing about the others. And an endpoint that restarts is back before half a minute is over.
 */
import type { Clock, Random } from '#lib/runtime';
import type { SendVerdict } from './send-verdict.ts';

export type BreakerState = 'closed' | 'open' | 'probing' | 'half-open';

export interface Breaker {
  state(): BreakerState;
  /** Open and due for a probe: how long it has been due. */
  probeDueForMs(): number | undefined;
  /** A send of this delivery begins. */
  begin(deliveryId: string): BreakerSend;
  /** Closed, and nothing counted: as good as new. */
  isPristine(): boolean;
}

export interface BreakerSend {
  /** Called once with the verdict; undefined if nothing was sent after all. */
  ended(verdict: SendVerdict | undefined): void;
}

type State =
  | { kind: 'closed'; failed: { deliveries: ReadonlySet<string>; sinceMs: number } | undefined }
  | { kind: 'open'; probes: number; probeAtMs: number }
  | { kind: 'probing'; probes: number }
  | { kind: 'half-open'; probes: number; successes: number };

const opensAfter = { deliveries: 5, forMs: 30_000 };
const closesAfter = 5;
const probeEvery = { baseMs: 1_000, capMs: 60_000 };

export function createBreaker({ clock, random }: { clock: Clock; random: Random }): Breaker {
  let state: State = { kind: 'closed', failed: undefined };
  /** Counts the openings. */
  let epoch = 0;

  function open(probes: number, waitMs = probeWaitMs(probes, random)): void {
    epoch += 1;
    state = { kind: 'open', probes, probeAtMs: clock.monotonicMs() + waitMs };
  }

  function whileClosed(verdict: SendVerdict, deliveryId: string): void {
    if (state.kind !== 'closed') return;
    if (verdict.kind === 'well') state = { kind: 'closed', failed: undefined };
    if (verdict.kind !== 'failed' && verdict.kind !== 'unreachable') return;
    const nowMs = clock.monotonicMs();
    const { deliveries, sinceMs } = state.failed ?? { deliveries: new Set<string>(), sinceMs: nowMs };
    const isEnough = deliveries.size >= opensAfter.deliveries;
    const failed = { deliveries: isEnough ? deliveries : new Set([...deliveries, deliveryId]), sinceMs };
    if (failed.deliveries.size >= opensAfter.deliveries && nowMs - sinceMs >= opensAfter.forMs) open(0);
    else state = { kind: 'closed', failed };
  }

  function whileProbing(verdict: SendVerdict | undefined): void {
    if (state.kind !== 'probing') return;
    const { probes } = state;
    if (verdict === undefined) open(probes, 0);
    else if (verdict.kind === 'well') state = { kind: 'half-open', probes, successes: 1 };
    else if (verdict.kind === 'wait') open(probes, verdict.waitMs);
    else open(probes + 1);
  }

  function whileHalfOpen(verdict: SendVerdict): void {
    if (state.kind !== 'half-open' || verdict.kind === 'wait') return;
    const { probes, successes } = state;
    if (verdict.kind !== 'well') open(probes + 1);
    else if (successes + 1 >= closesAfter) state = { kind: 'closed', failed: undefined };
    else state = { kind: 'half-open', probes, successes: successes + 1 };
  }

  return {
    state: () => state.kind,
    probeDueForMs() {
      if (state.kind !== 'open') return undefined;
      const forMs = clock.monotonicMs() - state.probeAtMs;
      return forMs < 0 ? undefined : forMs;
    },
    begin(deliveryId) {
      if (state.kind === 'open') state = { kind: 'probing', probes: state.probes };
      const begunIn = epoch;
      return {
        ended(verdict) {
          if (begunIn !== epoch) return;
          if (state.kind === 'probing') return whileProbing(verdict);
          if (verdict === undefined) return;
          whileClosed(verdict, deliveryId);
          whileHalfOpen(verdict);
        },
      };
    },
    isPristine: () => state.kind === 'closed' && state.failed === undefined,
  };
}

/** Between half and the whole of a wait that doubles with each probe: endpoints that failed together are not probed together. */
function probeWaitMs(probes: number, random: Random): number {
  const mostMs = Math.min(probeEvery.capMs, probeEvery.baseMs * 2 ** Math.min(probes, 30));
  return mostMs * (0.5 + random() / 2);
}
