/**
 * Ends the child processes of a test run that was cut short: it holds a pipe from the run, and when that closes it kills what is still on
 * its list. A process of its own, and detached, so that neither a SIGKILL of the run nor a terminal's Ctrl-C takes it along.
 *
 * Protocol, on its standard input: `+<pid>` puts a process on the list, `-<pid>` takes it off, a line each.
 */
import { createInterface } from 'node:readline';

const watched = new Set<number>();
for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith('+')) watched.add(pid);
  else watched.delete(pid);
}
for (const pid of watched) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
