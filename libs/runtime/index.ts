export { AppError, type AppErrorCode, isAppError, toAppError } from './app-error.ts';
export { type Clock, limitGranularityMs, systemClock } from './clock/clock.ts';
export { type ManualClock, createManualClock } from './clock/manual-clock.ts';
export { formatMicros, microsOf, nowMicros, parseRfc3339 } from './clock/rfc3339.ts';
export { createTimeLimits } from './clock/time-limits.ts';
export { inRounds } from './lifecycle/in-rounds.ts';
export { inTurns } from './lifecycle/in-turns.ts';
export { repeat } from './lifecycle/repeat.ts';
export { type Part, createPart } from './lifecycle/part.ts';
export { type PartGroup, groupParts } from './lifecycle/part-group.ts';
export { type ProcessBody, runProcess } from './lifecycle/run-process.ts';
export { type CrashPointName, type CrashPoints, createCrashPoints, noCrashPoints } from './crash-points.ts';
export { fullJitterMs, type Random, spreadAroundMs } from './backoff/jitter.ts';
export { retryAfterMs } from './backoff/retry-after.ts';
export { untilAvailable } from './backoff/until-available.ts';
export { createWaitOut, type WaitOut } from './backoff/wait-out.ts';
export {
  type IdPrefix,
  type RandomBytes,
  createId,
  derivedId,
  idEndToNumber,
  idRange,
  numberToIdEnd,
  timeOfId,
} from './ids/ids.ts';
export { createRandomPool, randomPool } from './ids/random-pool.ts';
export { type Logger, silentLogger } from './logger.ts';
