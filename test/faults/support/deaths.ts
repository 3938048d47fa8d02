import type { Fault } from '../checker/history.ts';

/**
 * Number of processes that died in these faults without ending in order. A fault that hits several services is listed once for each, at one
 * moment.
 */
export const deathsIn = (faults: readonly Fault[]): number =>
  new Set(
    faults
      .filter(({ deadly, service }) => deadly === true && service !== undefined)
      .map(({ what, atMs }) => `${what} ${atMs}`),
  ).size;
