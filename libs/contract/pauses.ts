/**
 * The pauses of an endpoint: while one lasts, nothing is sent to it, and the deadlines of its deliveries move by as much. Instants are
 * microseconds since the epoch.
 */

/** An entry of the column `endpoints.pauses`; RFC 3339. */
export interface StoredPause {
  from: string;
  until: string;
}

export interface Pause {
  from: number;
  /** Not included. Of one that is under way the end that it will have, unless the endpoint is resumed before. */
  until: number;
}

const day = 24 * 3600;

export const pauseLimits = {
  usualSeconds: 3 * day,
  longestSeconds: 14 * day,
  /**
   * Every process has them in memory. Of more the oldest two become one, with the time between: deadlines move by more then, never by less.
   */
  maxKept: 20,
} as const;

/** Facts that decide about a delivery's deadline beside its retry window. */
export interface PausedLife {
  /** The oldest first; no two at once. */
  pauses: readonly Pause[];
  /** The latest deadline, counted from the creation: the payload is kept for longer. */
  longestLifeMs: number;
}

/** The time of the pauses within these instants. */
export function pausedBetween(pauses: readonly Pause[], from: number, to: number): number {
  let paused = 0;
  for (const pause of pauses) paused += Math.max(0, Math.min(pause.until, to) - Math.max(pause.from, from));
  return paused;
}

/** The deadline of a delivery, by the pauses until `at`. */
export function deadlineOf(
  createdAt: number,
  windowMs: number,
  { pauses, longestLifeMs }: PausedLife,
  at: number,
): number {
  const deadline = createdAt + windowMs * 1_000;
  if (pauses.length === 0) return deadline;
  const latest = Math.max(deadline, createdAt + longestLifeMs * 1_000);
  return Math.min(latest, deadline + pausedBetween(pauses, createdAt, at));
}

/** The latest creation of a delivery whose deadline has come `at` this instant: what was created earlier is past its own. */
export function createdByDeadline(windowMs: number, { pauses, longestLifeMs }: PausedLife, at: number): number {
  let left = windowMs * 1_000;
  let instant = at;
  for (const { from, until } of pauses.toReversed()) {
    if (from >= at) continue;
    const unpaused = instant - Math.min(until, at);
    if (unpaused >= left) break;
    left -= unpaused;
    instant = from;
  }
  return Math.max(instant - left, at - Math.max(windowMs, longestLifeMs) * 1_000);
}
