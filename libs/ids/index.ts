export {
  type IdPrefix,
  type RandomBytes,
  createId,
  derivedId,
  idEndToNumber,
  idRange,
  numberToIdEnd,
  timeOfId,
} from './ids.ts';
export { createRandomPool, randomPool } from './random-pool.ts';
