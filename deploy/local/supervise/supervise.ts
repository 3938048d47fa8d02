/** The supervisor's process: `make up` starts it beside a stack of native processes, `make down` stops it first. */
import { systemClock } from '#lib/runtime';
import { say } from '../command.ts';
import { writePrivateFile } from '../key-value-file.ts';
import { stackFiles } from '../paths.ts';
import { withLockIfFree } from '../processes/lock.ts';
import { writePids } from '../stack/local-env.ts';
import { createNativeParts } from '../stack/native-parts.ts';
import { portsAt } from '../stack/ports.ts';
import { byPart, keptProcessMode } from '../stack/process-mode.ts';
import { provideSecrets } from '../stack/secrets.ts';
import { keptPortOffset, stackProcesses, supervisorName } from '../stack/stack.ts';
import { describeEnding, recordRestart } from './restarts.ts';
import { createSupervisor } from './supervisor.ts';

const lookEveryMs = 500;

const stopping = new AbortController();
// A start that has begun is brought to its end.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
// A full disk must not end the supervisor: it continues without its log.
process.stdout.on('error', () => undefined);

const log = (line: string): void => say(`${new Date(systemClock.nowMs()).toISOString()} ${line}`);

const processes = stackProcesses();
const mode = keptProcessMode();
const { programs } = await createNativeParts(
  portsAt(keptPortOffset() ?? 0),
  mode,
  provideSecrets(stackFiles.secrets),
  processes,
  log,
);
const supervisor = createSupervisor({
  programs,
  processes,
  isInCharge: () => processes.pid(supervisorName) === process.pid,
  withStack: (work) => withLockIfFree(stackFiles.lock, 'the supervisor', work),
  onRestart(restart) {
    const { name, how, lastLogLine } = restart;
    log(`${name} ended (${describeEnding(how)}) and was started again; its last line: ${lastLogLine}`);
    writePids(stackFiles.localEnv, byPart(processes, mode));
    recordRestart(stackFiles.restarts, restart);
  },
  onFailure: (name, error) => log(`${name} could not be started: ${String(error)}`),
  clock: systemClock,
  random: Math.random,
});

log(`watching ${programs.map(({ name }) => name).join(', ')}`);
writePrivateFile(stackFiles.watching, String(process.pid));
while (!stopping.signal.aborted) {
  const isInCharge = await supervisor.look().catch((error: unknown) => {
    log(`looking failed: ${String(error)}`);
    return true;
  });
  if (!isInCharge) break;
  await systemClock.sleep(lookEveryMs, stopping.signal);
}
log(stopping.signal.aborted ? 'stopped' : 'another has taken over, or the stack is gone');
