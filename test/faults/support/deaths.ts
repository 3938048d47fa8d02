import type { Fault } from '../checker/history.ts';

/** How many processes have died in these that did not end in order. What several services share has a fault for each, of one moment. */
export const deathsIn = (faults: readonly Fault[]): number =>
  new Set(
    faults
      .filter(({ what, service }) => service !== undefined && !/^SIG(STOP|TERM)/.test(what))
      .map(({ what, atMs }) => `${what} ${atMs}`),
  ).size;
