/** Postgres refuses to run as root. Where this is root, it runs as an unprivileged user that the system has already. */
import { readFileSync } from 'node:fs';
import { StackError } from '../failure.ts';

export interface RunAs {
  name: string;
  uid: number;
  gid: number;
}

/** The user for Postgres: the package's own, else `nobody`; undefined if this is not root. */
export function postgresUser(passwd = '/etc/passwd'): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync(passwd, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  const user = ['postgres', 'nobody'].map((name) => users.find((each) => each.name === name)).find(Boolean);
  if (user === undefined)
    throw new StackError(
      'Postgres refuses to run as root, and there is neither a user postgres nor nobody: run this as another user',
    );
  return user;
}

/** The same command as that user. `setpriv` execs it, so the pid stays that of the process started. */
export function asUser(
  user: RunAs | undefined,
  command: string,
  args: readonly string[],
): { command: string; args: readonly string[] } {
  if (user === undefined) return { command, args };
  return {
    command: 'setpriv',
    args: ['--reuid', String(user.uid), '--regid', String(user.gid), '--clear-groups', '--', command, ...args],
  };
}
