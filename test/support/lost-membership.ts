import type { Fault } from '../faults/checker/history.ts';
import { type ServiceName, serviceNames } from './stack.ts';

/**
 * The fault that a logged line tells of: a service that was no member of its group for a time begins again at the last commit, and does a second time what
 * it had done since. A session as short as those of tests ends on a busy machine with nothing else at fault.
 *
 * @param line one line of a service's log
 * @returns undefined for every other line; a first join is no loss, nor is one that keeps the member. A crash before the first join counts: it lies before
 *   all that could be repeated
 */
export function lostMembershipIn(line: string, nowMs: number, settlingMs: number): Fault | undefined {
  if (!/"event":"consumer\.(joined|crashed|rebuilt)"/.test(line)) return undefined;
  const logged = JSON.parse(line) as Logged;
  if (logged.event === 'consumer.joined' && (logged.continuous === true || logged.lost === 0)) return undefined;
  const service = serviceNames.find((name) => name === logged.service);
  if (service === undefined) throw new Error(`no service is called ${logged.service}`);
  const what = `${logged.group} lost its membership`;
  return { what, service, atMs: nowMs, settledAtMs: nowMs + settlingMs };
}

interface Logged {
  service: ServiceName;
  event: string;
  group: string;
  /** Joins alone have it: how many partitions the member held before and holds no more. */
  lost?: number;
  /** Joins alone have it: whether it was this member all along. */
  continuous?: boolean;
}
