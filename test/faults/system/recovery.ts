import { percentile } from '../../bench/isolation/percentiles.ts';
import type { History } from '../checker/history.ts';
import { type Ledger, pairOf } from '../checker/ledger.ts';
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
  recoveryMs: { p50: number; p99: number; max: number };
}

/** @param endpointId one that is well, and gets every event */
export function recoveriesOf(ledger: Ledger, inflicted: readonly Inflicted[], endpointId: string): KindResult[] {
  const ways = waysOf(ledger, endpointId);
  return [...Map.groupBy(inflicted, ({ kind }) => kind)]
    .map(([kind, faults]) => {
      const met = faults.map(({ atMs, overAtMs }) =>
        ways.filter(({ takenAtMs }) => takenAtMs >= atMs && takenAtMs <= overAtMs),
      );
      const recoveries = faults
        .map(({ overAtMs }, index) =>
          (met[index] ?? []).reduce((latest, { arrivedAtMs }) => Math.max(latest, arrivedAtMs - overAtMs), 0),
        )
        .sort((a, b) => a - b);
      return {
        kind,
        times: faults.length,
        taken: met.reduce((sum, each) => sum + each.length, 0),
        recoveryMs: {
          p50: Math.round(percentile(recoveries, 0.5)),
          p99: Math.round(percentile(recoveries, 0.99)),
          max: Math.round(recoveries.at(-1) ?? 0),
        },
      };
    })
    .sort((a, b) => a.kind.localeCompare(b.kind));
}

interface Way {
  takenAtMs: number;
  /** Infinity: never. */
  arrivedAtMs: number;
}

const waysOf = (ledger: Ledger, endpointId: string): Way[] =>
  [...ledger.eventsById.values()].flatMap(([event]) => {
    if (event === undefined) return [];
    const arrivals = ledger.arrivalsByPair.get(pairOf(event.id, endpointId)) ?? [];
    return [{ takenAtMs: event.receivedAtMs, arrivedAtMs: Math.min(...arrivals.map(({ atMs }) => atMs)) }];
  });

/** From acceptance to arrival, of all events. In ms. */
export function latencyOf(ledger: Ledger, endpointId: string): { p50: number; p99: number; max: number } {
  const latencies = waysOf(ledger, endpointId)
    .map(({ takenAtMs, arrivedAtMs }) => arrivedAtMs - takenAtMs)
    .sort((a, b) => a - b);
  return {
    p50: Math.round(percentile(latencies, 0.5)),
    p99: Math.round(percentile(latencies, 0.99)),
    max: Math.round(latencies.at(-1) ?? 0),
  };
}

/** How long requests of pollers had no answer, and how many of them had none. */
export const failedPolls = ({ pollers }: History): number => pollers.reduce((sum, { failed }) => sum + failed, 0);
