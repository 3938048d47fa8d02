import { percentile } from '../../support/percentiles.ts';
import type { EventEntry } from '../checker/history.ts';
import { isPublished, type Ledger, pairOf } from '../checker/ledger.ts';
import { isDone } from '../checker/rules/published.ts';
import type { Inflicted } from './schedule.ts';

/** The results of the faults of one kind. */
export interface KindResult {
  kind: string;
  times: number;
  /** Webhooks and published events that were taken while one of them lasted. */
  taken: number;
  /**
   * For each of the kind's faults, in ms: from its end until all webhooks accepted since its beginning had arrived at an endpoint that is
   * well; 0 if they had arrived before; Infinity: never. Other faults meanwhile count in it.
   */
  recoveriesMs: number[];
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
        Math.round((met[index] ?? []).reduce((latest, { arrivedAtMs }) => Math.max(latest, arrivedAtMs - overAtMs), 0)),
      );
      return {
        kind,
        times: faults.length,
        taken: met.reduce((sum, each) => sum + each.length, 0),
        recoveriesMs: recoveries,
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

/** The ways of the events that were due there: one received by a clock that was behind, before the endpoint was, was not. */
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

/** Hookline's time of receipt, but not before the request or after its answer: the receiver's clock may have been off. */
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

/** How a run went, stretch by stretch from the first event that was taken: an entry for each in every list. */
export interface Timeline {
  stretchSeconds: number;
  taken: number[];
  /** At the endpoint, for the first time. */
  arrived: number[];
  /** From acceptance to arrival of what was taken in the stretch, in s. Infinity: never; null: nothing was. */
  p50Seconds: (number | null)[];
  maxSeconds: (number | null)[];
}

const shortestStretchSeconds = 10;
/** More can't be told apart in a plot; a stretch is longer then. */
const mostStretches = 400;

/** @param endpointId one that is well, and gets every event */
export function timelineOf(ledger: Ledger, endpointId: string): Timeline {
  const ways = waysOf(ledger, endpointId);
  const startMs = ways.reduce((first, way) => Math.min(first, way.takenAtMs), Number.POSITIVE_INFINITY);
  const endMs = ways
    .flatMap((way) => [way.takenAtMs, way.arrivedAtMs])
    .reduce((last, atMs) => (Number.isFinite(atMs) ? Math.max(last, atMs) : last), startMs);
  const lengthMs = ways.length === 0 ? 0 : endMs - startMs;
  const stretchSeconds =
    shortestStretchSeconds * (1 + Math.floor(lengthMs / (mostStretches * shortestStretchSeconds * 1_000)));
  const stretchOf = (atMs: number): number => Math.floor((atMs - startMs) / (stretchSeconds * 1_000));
  const taken = Map.groupBy(ways, (way) => stretchOf(way.takenAtMs));
  const arrived = Map.groupBy(ways, (way) => stretchOf(way.arrivedAtMs));
  const stretches = Array.from({ length: ways.length === 0 ? 0 : stretchOf(endMs) + 1 }, (_, stretch) => {
    const ofStretch = taken.get(stretch) ?? [];
    const { p50, max } = percentilesOf(ofStretch.map((way) => way.arrivedAtMs - way.takenAtMs));
    const inSeconds = (ms: number): number | null => (ofStretch.length === 0 ? null : Math.round(ms / 10) / 100);
    const arrivals = arrived.get(stretch)?.length ?? 0;
    return { taken: ofStretch.length, arrived: arrivals, p50: inSeconds(p50), max: inSeconds(max) };
  });
  return {
    stretchSeconds,
    taken: stretches.map((each) => each.taken),
    arrived: stretches.map((each) => each.arrived),
    p50Seconds: stretches.map((each) => each.p50),
    maxSeconds: stretches.map((each) => each.max),
  };
}

function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const [p50, p99, max] = [percentile(sorted, 0.5), percentile(sorted, 0.99), sorted.at(-1) ?? 0].map(Math.round);
  return { p50: p50 ?? 0, p99: p99 ?? 0, max: max ?? 0 };
}
