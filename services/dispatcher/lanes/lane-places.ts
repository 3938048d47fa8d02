import type { Standing } from '../endpoints/endpoint-health.ts';
import type { Pace } from '../model/endpoint.ts';
import { laneClassOf } from './turns.ts';

/** Places in a lane's queue. */
export interface LanePlaces {
  /** Fresh deliveries. */
  records: number;
  /** The same in bytes of payload; one alone may be larger. */
  bytes: number;
  /** Deliveries that have waited. */
  rows: number;
}

/** Whether the tenant uses more than half of its share: of fresh deliveries, and of rows. */
export interface Crowded {
  records: boolean;
  rows: boolean;
}

/**
 * The part of its places that a lane gets while it is crowded (its tenant's lanes together use half of the share) or sick. A burst for one
 * endpoint is best queued whole, but hanging endpoints fill their lanes too, and must leave room for the others.
 */
const shareWhenNarrow = 1 / 20;
/** Queued deliveries are parked after 30 s, so a paced or slow lane takes only as many as it can send by then. */
const aheadSeconds = 30;
/** Rows that don't start are read again, so a slow or paced lane takes only enough for a few reads of the table. */
const rowsAheadSeconds = 2;
const rowsPerConnection = 4;

/** Rows that a lane may queue while its endpoint is unknown. */
export const rowsOfUnknown = (limits: LanePlaces, { rows }: Pick<Crowded, 'rows'>): number =>
  Math.max(1, Math.floor(limits.rows * (rows ? shareWhenNarrow : 1)));

export function placesOf(
  standing: Standing,
  pace: Pace | undefined,
  limits: LanePlaces,
  { crowded, nowMs }: { crowded: Crowded; nowMs: number },
): LanePlaces {
  if (standing.kind === 'open' || standing.kind === 'paused') return { records: 0, bytes: 0, rows: 0 };
  if (standing.kind === 'probe') return { records: standing.freshToo ? 1 : 0, bytes: limits.bytes, rows: 1 };
  const isSick = laneClassOf(standing) === 'sick';
  const share = crowded.records || isSick ? shareWhenNarrow : 1;
  const paces = [pace, paceOfSlow(standing)];
  const rows = Math.min(
    rowsOfUnknown(limits, crowded),
    isSick ? rowsPerConnection * standing.width : Number.POSITIVE_INFINITY,
    ...paces.map((each) => sentWithin(rowsAheadSeconds, each)),
  );
  return {
    records: Math.max(
      1,
      Math.min(Math.floor(limits.records * share), ...paces.map((each) => sentWithin(aheadSeconds, each))),
    ),
    bytes: limits.bytes * share,
    rows: standing.pausedUntilMs > nowMs ? 0 : rows,
  };
}

/** All of its width at once, again and again. */
const paceOfSlow = (standing: Standing): Pace | undefined =>
  standing.kind === 'slow'
    ? { perSecond: (standing.width * 1_000) / standing.meanMs, burst: standing.width }
    : undefined;

function sentWithin(seconds: number, pace: Pace | undefined): number {
  if (pace === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(pace.burst + pace.perSecond * seconds));
}
