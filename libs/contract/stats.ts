/** How long statistics are kept by the minute, the hour and the day: retention moves what is older into the next coarser step. */
export const statSteps = {
  '1m': { step: 'minute', seconds: 60, keptSeconds: 48 * 3600 },
  '1h': { step: 'hour', seconds: 3600, keptSeconds: 90 * 24 * 3600 },
  '1d': { step: 'day', seconds: 24 * 3600, keptSeconds: 400 * 24 * 3600 },
} as const;

export type StatStep = keyof typeof statSteps;

export const statDimensions = ['source', 'endpoint', 'type', 'outcome'] as const;
export type StatDimension = (typeof statDimensions)[number];

export const statSeries = ['received', 'duplicates', 'rejected', 'delivered', 'failed', 'dead_lettered'] as const;
export type StatSeries = (typeof statSeries)[number];

/** Types of a tenant and day with rows of their own; the others are counted as `otherTypes`. */
export const maxTypesPerDay = 200;
export const otherTypes = 'other';
