import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chosenPortOffset } from '../config.ts';
import { StackError } from '../failure.ts';
import { writePrivateFile } from '../key-value-file.ts';
import { stackFiles } from '../paths.ts';
import { createProcesses, type Processes } from '../processes/processes.ts';
import type { ServerAddresses } from '../servers/server-addresses.ts';
import { stopServers } from '../servers/servers.ts';
import { serviceNames } from './ports.ts';
import { serveName } from './process-mode.ts';

export const stackProcesses = (): Processes => createProcesses({ run: stackFiles.run, log: stackFiles.log });

/** However it runs: what is known of it and its parts, by the names of `stackPartNames`. */
export interface RunningStack {
  processes: Pick<Processes, 'pid' | 'lastLogLines'>;
  /** Addresses as this machine reaches them. */
  addresses: ServerAddresses;
  /** Receives deliveries: the dispatcher's name for this machine, and the addresses to listen on. */
  receiver: { host: string; listenOn: readonly string[] };
  /** The other parts with their addresses. */
  more: readonly (readonly [name: string, where: string])[];
}

/** The case of a dispatcher that is a process of this machine. */
export const nativeReceiver: RunningStack['receiver'] = { host: '127.0.0.1', listenOn: ['127.0.0.1'] };

/** Above the services' own limit for their shutdown (HOOKLINE_SHUTDOWN_TIMEOUT_MS). */
const serviceStopTimeoutMs = 30_000;

/** The process that starts again what has ended of a stack of native processes. */
export const supervisorName = 'supervisor';

/**
 * Stops the running parts of the stack by their pids: the supervisor first, since it would restart the others, then the services, then what
 * they depend on.
 */
export async function stopStack(processes: Processes): Promise<void> {
  await processes.stop(supervisorName);
  const services = [...serviceNames, serveName];
  await Promise.all(services.map((name) => processes.stop(name, { timeoutMs: serviceStopTimeoutMs })));
  await stopServers(processes);
}

export const runningIn = (processes: Processes): string[] =>
  processes.names().filter((name) => processes.pid(name) !== undefined);

/**
 * The offset that this start is to use. A stack that runs keeps its ports: half of it on others would find nothing.
 *
 * @throws StackError where another one is chosen for a stack that runs
 */
export function decidePortOffset(isRunning: boolean): number {
  const kept = keptPortOffset();
  const chosen = chosenPortOffset();
  if (isRunning && kept !== undefined && chosen !== undefined && chosen !== kept)
    throw new StackError(`the stack runs with HOOKLINE_PORT_OFFSET=${kept}; to move it: make down, then make up`);
  const offset = isRunning ? (kept ?? chosen ?? 0) : (chosen ?? 0);
  writePrivateFile(stackFiles.portOffset, `${offset}\n`);
  return offset;
}

/** The value of the last start; undefined without one. */
export const keptPortOffset = (): number | undefined =>
  existsSync(stackFiles.portOffset) ? Number(readFileSync(stackFiles.portOffset, 'utf8')) : undefined;

/** The names of the processes that have a log. */
export function logsIn(dir = stackFiles.log): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter((file) => file.endsWith('.log'))
    .map((file) => file.slice(0, -'.log'.length));
}
