export { fullJitterMs, type Random } from './full-jitter.ts';
export { retryAfterMs } from './retry-after.ts';
export { untilAvailable } from './until-available.ts';
export { createWaitOut, type WaitOut } from './wait-out.ts';
