export { fullJitterMs, type Random } from './full-jitter.ts';
export { untilAvailable } from './until-available.ts';
export { createWaitOut, type WaitOut } from './wait-out.ts';
