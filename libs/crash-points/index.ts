export {
  type CrashPointName,
  type CrashPoints,
  crashPointNames,
  createCrashPoints,
  noCrashPoints,
} from './crash-points.ts';
