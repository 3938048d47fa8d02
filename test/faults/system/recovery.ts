import { percentile } from '../../bench/isolation/percentiles.ts';
import type { EventEntry } from '../checker/history.ts';
import { isPublished, type Ledger, pairOf } from '../checker/ledger.ts';
import { isDone } from '../checker/rules/published.ts';
import type { Inflicted } from './schedule.ts';

/** What came of the faults of one kind. */
export interface KindResult {
  kind: string;
  times: number;
  /** Webhooks and published events that were taken while one of them lasted. */
  taken: number;
  /**
   * From the end of a fault until all that had been taken by then since its beginning had arrived at an endpoint that is well: 0 where it had
   * before. Of the kind's faults, in ms. What other faults did meanwhile is in it.
   */
  recoveryMs: Percentiles;
}

/** @param endpointId one that is well, and gets every event */
export function recoveriesOf(ledger: Ledger, inflicted: readonly Inflicted[], endpointId: string): KindResult[] {
  const ways = waysOf(ledger, endpointId);
  return [...Map.groupBy(inflicted, ({ kind }) => kind)]
    .map(([kind, faults]) => {
      const met = faults.map(({ atMs, overAtMs }) =>
        ways.filter(({ takenAtMs }) => takenAtMs >= atMs && takenAtMs <= overAtMs),
      );
      const recoveries = faults.map(({ overAtMs }, index) =>
        (met[index] ?? []).reduce((latest, { arrivedAtMs }) => Math.max(latest, arrivedAtMs - overAtMs), 0),
      );
      return {
        kind,
        times: faults.length,
        taken: met.reduce((sum, each) => sum + each.length, 0),
        recoveryMs: percentilesOf(recoveries),
      };
    })
    .sort((a, b) => a.kind.localeCompare(b.kind));
}

interface Way {
  takenAtMs: number;
  fannedOutAtMs: number;
  /** Infinity: never. */
  arrivedAtMs: number;
}

/** Of the events that were due there: one that was received by a clock that was behind, before the endpoint was, was not. */
const waysOf = (ledger: Ledger, endpointId: string): Way[] =>
  [...ledger.eventsById.values()].flatMap(([event]) => {
    if (event === undefined) return [];
    const isDue = (ledger.deliveriesByEvent.get(event.id) ?? []).some((delivery) => delivery.endpointId === endpointId);
    if (!isDue) return [];
    const arrivals = ledger.arrivalsByPair.get(pairOf(event.id, endpointId)) ?? [];
    const fannedOutAtMs = Math.min(...(ledger.fanOutsByEvent.get(event.id) ?? []).map(({ atMs }) => atMs));
    const arrivedAtMs = Math.min(...arrivals.map(({ atMs }) => atMs));
    return [{ takenAtMs: takenAtMs(ledger, event), fannedOutAtMs, arrivedAtMs }];
  });

/** As Hookline has it, but not before the request or after its answer: the clock of who received it may have been off. */
function takenAtMs(ledger: Ledger, event: EventEntry): number {
  const request = isPublished(event) ? doneCallOf(ledger, event) : sendOf(ledger, event);
  if (request === undefined) return event.receivedAtMs;
  return Math.min(Math.max(event.receivedAtMs, request.startedAtMs), request.endedAtMs);
}

const doneCallOf = (ledger: Ledger, { payloadSha256 }: EventEntry) =>
  ledger.publishByPayload.get(payloadSha256)?.calls.find(isDone);

const sendOf = (ledger: Ledger, { origin }: EventEntry) =>
  ledger.sendByTrace.get(ledger.recordsByOrigin.get(origin)?.[0]?.traceId ?? '');

export interface Percentiles {
  p50: number;
  p99: number;
  max: number;
}

/** From acceptance to arrival, of all events, and its part until the event was fanned out. In ms. */
export function latencyOf(ledger: Ledger, endpointId: string): { arrival: Percentiles; fanOut: Percentiles } {
  const ways = waysOf(ledger, endpointId);
  return {
    arrival: percentilesOf(ways.map((way) => way.arrivedAtMs - way.takenAtMs)),
    fanOut: percentilesOf(ways.map((way) => way.fannedOutAtMs - way.takenAtMs)),
  };
}

function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const [p50, p99, max] = [percentile(sorted, 0.5), percentile(sorted, 0.99), sorted.at(-1) ?? 0].map(Math.round);
  return { p50: p50 ?? 0, p99: p99 ?? 0, max: max ?? 0 };
}
