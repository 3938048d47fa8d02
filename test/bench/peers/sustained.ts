import type { Moment } from './traffic/job.ts';

export interface Tried {
  perSecond: number;
  /** Endpoints that get each event and do not hang. */
  endpoints: number;
  published: number;
  acknowledged: number;
  publishedSeconds: number;
  moments: readonly Moment[];
}

/** As a share of the due events: the rest were refused or had no answer. */
const leastAcknowledged = 0.99;
/** The sender itself, or what keeps it from sending, may be late by that. */
const mostLate = { share: 0.03, seconds: 0.3 };
/** By which the backlog's mean in the last third may be above that of the middle one, and what it may be at all, in seconds of arrivals. */
const mostGrowthSeconds = 0.3;
const mostBacklogSeconds = 1.5;
/** For what is under way at low rates. */
const freeBacklog = 50;

/**
 * Whether a system keeps up with a rate: nearly all events were acknowledged in time, and the acknowledged ones that have not arrived are
 * few and don't grow. The first third is left out: code is compiled and connections are opened then.
 */
export function judgeSustained(tried: Tried): { isSustained: boolean; says: string } {
  const { perSecond, endpoints, published, acknowledged, publishedSeconds, moments } = tried;
  const dueSeconds = published / perSecond;
  const backlogs = moments
    .filter(({ second }) => second <= publishedSeconds + 0.5)
    .map(({ outstanding }) => outstanding);
  const third = backlogs.length / 3;
  const middle = mean(backlogs.slice(Math.floor(third), Math.floor(2 * third)));
  const last = mean(backlogs.slice(Math.floor(2 * third)));
  const arrivalsPerSecond = perSecond * endpoints;
  const troubles = [
    acknowledged < leastAcknowledged * published && `${acknowledged} of ${published} acknowledged`,
    publishedSeconds > dueSeconds * (1 + mostLate.share) + mostLate.seconds &&
      `acknowledged after ${publishedSeconds.toFixed(1)} s, due within ${dueSeconds.toFixed(1)}`,
    last > middle + mostGrowthSeconds * arrivalsPerSecond &&
      `the backlog grows, from ${middle.toFixed()} to ${last.toFixed()}`,
    last > mostBacklogSeconds * arrivalsPerSecond + freeBacklog && `a backlog of ${last.toFixed()}`,
  ].filter((trouble) => trouble !== false);
  return { isSustained: troubles.length === 0, says: troubles.join(', ') || `a backlog of ${last.toFixed()}` };
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
