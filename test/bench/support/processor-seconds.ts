import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** User and system time of all threads of a process so far. */
export function processorSeconds(pid: number): number {
  const { user, system } = timesOf(pid);
  return (user + system) / ticksPerSecond;
}

/** The same of a process and those that it has started: both who have ended (and were waited for) and who go on. */
export function processorSecondsOfFamily(pid: number): number {
  const { user, system, ofEnded } = timesOf(pid);
  const ofChildren = childrenOf(pid).map((child) => {
    try {
      return processorSecondsOfFamily(child);
    } catch {
      // It has ended since, and is counted next time.
      return 0;
    }
  });
  return (user + system + ofEnded) / ticksPerSecond + ofChildren.reduce((sum, each) => sum + each, 0);
}

/** In ticks. */
function timesOf(pid: number): { user: number; system: number; ofEnded: number } {
  // The name, in brackets, may have anything in it.
  const [, rest = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = rest.split(' ').slice(11, 15).map(Number);
  return { user, system, ofEnded: userOfEnded + systemOfEnded };
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
