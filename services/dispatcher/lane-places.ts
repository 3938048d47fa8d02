import type { Standing } from './endpoint-health.ts';

/** What a lane may queue. */
export interface LanePlaces {
  /** Fresh deliveries. */
  records: number;
  /** The same in bytes of payload; one alone may be larger. */
  bytes: number;
  /** Deliveries that have waited. */
  rows: number;
}

/** From the endpoint's settings; undefined where there is none. */
export interface Pace {
  perSecond: number;
  burst: number;
}

/**
 * What a lane may queue that is crowded (all lanes together have used half of their room) or sick. A burst for one endpoint is best queued
 * whole; but endpoints that hang fill their lanes too, and must leave room for those that do not.
 */
const shareWhenNarrow = 1 / 20;
/** What is queued is parked after 30 s: a paced lane takes in what it will have sent by then. */
const pacedAheadSeconds = 30;
/** Rows that do not start are read again: a lane that is slow, or paced, takes in what lasts for some readings of the table. */
const rowsAheadSeconds = 2;
const rowsPerConnection = 4;

export function placesOf(
  standing: Standing,
  pace: Pace | undefined,
  limits: LanePlaces,
  { crowded, nowMs }: { crowded: boolean; nowMs: number },
): LanePlaces {
  if (standing.kind === 'open') return { records: 0, bytes: 0, rows: 0 };
  if (standing.kind === 'probe') return { records: standing.freshToo ? 1 : 0, bytes: limits.bytes, rows: 1 };
  const share = crowded || standing.kind !== 'healthy' ? shareWhenNarrow : 1;
  const rows = standing.kind === 'healthy' ? limits.rows : Math.min(limits.rows, rowsPerConnection * standing.width);
  return {
    records: Math.max(1, Math.min(Math.floor(limits.records * share), sentWithin(pacedAheadSeconds, pace))),
    bytes: limits.bytes * share,
    rows: standing.pausedUntilMs > nowMs ? 0 : Math.min(rows, sentWithin(rowsAheadSeconds, pace)),
  };
}

function sentWithin(seconds: number, pace: Pace | undefined): number {
  if (pace === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(pace.burst + pace.perSecond * seconds));
}
