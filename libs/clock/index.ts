export { type Clock, limitGranularityMs, systemClock } from './clock.ts';
export { type ManualClock, createManualClock } from './manual-clock.ts';
export { microsOf } from './micros-of.ts';
export { formatMicros, parseRfc3339 } from './rfc3339.ts';
export { createTimeLimits } from './time-limits.ts';
