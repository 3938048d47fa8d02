const minuteMs = 60_000;

/** The times that can be chosen. The API counts the last 60 minutes, 24 hours or 30 days by itself, the step under way included. */
export const ranges = {
  '1h': { label: 'Last hour', step: '1m', stepName: 'minute', stepMs: minuteMs },
  '24h': { label: 'Last 24 hours', step: '1h', stepName: 'hour', stepMs: 60 * minuteMs },
  '30d': { label: 'Last 30 days', step: '1d', stepName: 'day', stepMs: 24 * 60 * minuteMs },
} as const;

export type RangeName = keyof typeof ranges;

export const isRange = (text: string): text is RangeName => Object.hasOwn(ranges, text);
