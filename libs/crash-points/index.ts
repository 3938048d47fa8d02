export { type CrashPointName, type CrashPoints, createCrashPoints, noCrashPoints } from './crash-points.ts';
