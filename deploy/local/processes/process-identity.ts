/**
 * Identifies the process that had a pid when the pid was written down. A pid alone is not enough: after a crash or a reboot the same number
 * may belong to an unrelated process, which must never be signalled. The start time tells them apart.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { childEnvironment } from '../config.ts';

/** Shell text that prints the identity of the shell itself; what it execs afterwards keeps both pid and start time. */
export const printOwnIdentity =
  process.platform === 'linux'
    ? 'echo $$; cat /proc/sys/kernel/random/boot_id; cat /proc/$$/stat'
    : 'echo $$; echo; LC_ALL=C ps -o lstart= -p $$';

export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** Parses the output of `printOwnIdentity`; undefined if it is incomplete. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [pid = '', boot = '', ...rest] = text.split('\n');
  const startedAt = startOf(boot, rest.join('\n'));
  return /^\d+$/.test(pid) && startedAt !== undefined ? { pid: Number(pid), startedAt } : undefined;
}

/** The parent that a process had when the text was written, if it still runs and the system can identify it. */
export function parentOf(text: string): ProcessIdentity | undefined {
  if (process.platform !== 'linux') return undefined;
  // proc(5): field 4.
  const parent = Number(fieldsFromState(text)[4 - 3]);
  return parent > 1 ? parseIdentity(identityText(parent) ?? '') : undefined;
}

/** The same text for another process; undefined if there is none. */
export function identityText(pid: number): string | undefined {
  try {
    const [boot, start] =
      process.platform === 'linux'
        ? [readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), readFileSync(`/proc/${pid}/stat`, 'utf8')]
        : ['', startByPs(pid)];
    return `${pid}\n${boot}\n${start}`;
  } catch {
    return undefined;
  }
}

/** Whether that process runs still. A zombie does not. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return parseIdentity(identityText(pid) ?? '')?.startedAt === startedAt;
}

/** Whether there is such a process, dead, whose parent has not taken notice of it yet. */
export function isZombie(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return parseIdentity(identityText(pid) ?? '') === undefined;
}

function startByPs(pid: number): string {
  const env = childEnvironment({ LC_ALL: 'C' });
  const ps = (field: string): string =>
    execFileSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8', env });
  return ps('state').trim().startsWith('Z') ? '' : ps('lstart');
}

/** proc(5): the name, field 2, may hold spaces and parentheses, so counting starts behind the last one, with the state, field 3. */
const fieldsFromState = (text: string): string[] => text.slice(text.lastIndexOf(')') + 2).split(' ');

/**
 * proc(5): field 22 is the start in clock ticks since the boot. The boot is part of the identity, since ticks restart with it.
 */
function startOf(boot: string, text: string): string | undefined {
  if (process.platform !== 'linux') return text.trim() === '' ? undefined : text.trim();
  const fields = fieldsFromState(text);
  const ticks = fields[22 - 3];
  if (fields[0] === 'Z' || ticks === undefined || !/^\d+$/.test(ticks)) return undefined;
  return `${boot}/${ticks}`;
}
