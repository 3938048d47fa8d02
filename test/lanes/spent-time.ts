import { readFileSync } from 'node:fs';

/**
 * User and system time of everything that this process has started and waited for, and of what its parent had before it (the installation
 * of packages, in the same line of the Makefile), in seconds. Undefined where there is no /proc.
 */
export function processorSeconds(): number | undefined {
  const { user, system } = process.cpuUsage();
  const own = childrenSeconds(process.pid);
  const parents = childrenSeconds(process.ppid);
  if (own === undefined || parents === undefined) return undefined;
  return (user + system) / 1_000_000 + own + parents;
}

/** Linux counts in hundredths of a second in every proc(5) there is (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

/** The children of a process that have ended and were waited for, and theirs: `cutime` and `cstime` of proc_pid_stat(5). */
export function childrenSeconds(pid: number): number | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name of the program, in brackets, may hold spaces: fields are counted from behind it, the first of them being the third.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}
