/**
 * Ends the child processes of a test run that was cut short: it holds a pipe from the run, and kills the processes on its list when that
 * closes. It is a detached process, so that neither a SIGKILL of the run nor a terminal's Ctrl-C ends it too.
 *
 * Protocol on its standard input: `+<pid>` adds a process to the list, `-<pid>` removes it, a line each.
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
