/** How long statistics are kept by the minute, the hour and the day: retention moves what is older into the next coarser step. */
export const statSteps = {
  '1m': { step: 'minute', seconds: 60, keptSeconds: 48 * 3600 },
  '1h': { step: 'hour', seconds: 3600, keptSeconds: 90 * 24 * 3600 },
  '1d': { step: 'day', seconds: 24 * 3600, keptSeconds: 400 * 24 * 3600 },
} as const;

export type StatStep = keyof typeof statSteps;
