export { type Clock, limitGranularityMs, systemClock } from './clock.ts';
export { type ManualClock, createManualClock } from './manual-clock.ts';
export { microsOf, nowMicros } from './micros.ts';
export { formatMicros, parseRfc3339 } from './rfc3339.ts';
export { createTimeLimits } from './time-limits.ts';
