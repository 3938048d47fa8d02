export { fullJitterMs, type Random } from './full-jitter.ts';
export { retryAfterMs } from './retry-after.ts';
export { spreadAroundMs } from './spread-around.ts';
export { untilAvailable } from './until-available.ts';
export { createWaitOut, type WaitOut } from './wait-out.ts';
