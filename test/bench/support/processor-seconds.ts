import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** User and system time of all threads of a process so far. */
export function processorSeconds(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = rest.split(' ').slice(11, 13).map(Number);
  return (user + system) / ticksPerSecond;
}
