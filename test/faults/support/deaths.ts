import type { Fault } from '../checker/history.ts';

/** How many of these are the death of a process that did not end in order. */
export const deathsIn = (faults: readonly Fault[]): number =>
  faults.filter(({ what, service }) => service !== undefined && !/^SIG(STOP|TERM)/.test(what)).length;
