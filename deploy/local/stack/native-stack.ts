import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { say } from '../command.ts';
import { root, stackFiles } from '../paths.ts';
import { filesFingerprint } from '../processes/fingerprint.ts';
import type { Processes } from '../processes/processes.ts';
import { startReady } from '../processes/ready.ts';
import { createNativeParts } from './native-parts.ts';
import { assertFree, portsByProcess, type StackPorts } from './ports.ts';
import { byPart, type ProcessMode } from './process-mode.ts';
import type { StackSecrets } from './secrets.ts';
import { nativeReceiver, type RunningStack, stackProcesses, supervisorName } from './stack.ts';

const supervisorStartTimeoutMs = 30_000;

/** Starts what does not run, as processes of this machine. @param seconds since the beginning, for people */
export async function startNative(
  ports: StackPorts,
  mode: ProcessMode,
  secrets: StackSecrets,
  seconds: () => string,
): Promise<RunningStack> {
  const processes = stackProcesses();
  const { servers, services } = await createNativeParts(ports, mode, secrets, processes, say);

  const portsOf = portsByProcess(ports, mode);
  const before = new Map([...Object.keys(portsOf), supervisorName].map((name) => [name, processes.pid(name)]));
  await assertFree(
    Object.entries(portsOf)
      .filter(([process]) => before.get(process) === undefined)
      .flatMap(([process, its]) => its.map((port) => ({ process, port }))),
  );
  const sayReady = (name: string): void =>
    say(
      `  ${name.padEnd(10)} ${before.get(name) === processes.pid(name) ? 'runs already' : `ready after ${seconds()}`}`,
    );
  await servers.start(sayReady);
  await services.setUp();
  say(`  ${'setup'.padEnd(10)} migrations, topics and schemas after ${seconds()}`);
  await services.start(sayReady);
  await startSupervisor(processes);
  sayReady(supervisorName);
  return { processes: byPart(processes, mode), addresses: servers.addresses, receiver: nativeReceiver, more: [] };
}

async function startSupervisor(processes: Processes): Promise<void> {
  const program = {
    name: supervisorName,
    command: process.execPath,
    args: [join('deploy', 'local', 'supervise', 'supervise.ts')],
    cwd: root,
    made: filesFingerprint([join(root, 'deploy', 'local'), join(root, 'libs')]),
  };
  const watches = () =>
    readFileSync(stackFiles.watching, 'utf8') === String(processes.pid(supervisorName)) || undefined;
  await startReady(processes, program, watches, supervisorStartTimeoutMs);
}
