import type { KeptReport } from '../support/kept-reports.ts';

/** When, of which code and on what a bench was run, in a sentence. */
export const describeRun = ({ startedAt, commit, machine }: KeptReport): string =>
  `${startedAt.slice(0, 10)}, commit ${commit}, on ${machine.cpus}, ${machine.memoryGiB} GiB, Node ${machine.node}.`;
