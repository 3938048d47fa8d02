import { say } from './command.ts';
import { root, stackFiles } from './paths.ts';
import { assertFree, portsByProcess, stackProcessNames, type StackPorts } from './ports.ts';
import type { StackSecrets } from './secrets.ts';
import { createServers } from './servers.ts';
import { createServices } from './services.ts';
import { nativeReceiver, type RunningStack, stackProcesses } from './stack.ts';

/** Starts what does not run, as processes of this machine. @param seconds since the beginning, for people */
export async function startNative(
  ports: StackPorts,
  secrets: StackSecrets,
  seconds: () => string,
): Promise<RunningStack> {
  const processes = stackProcesses();
  const servers = await createServers({
    dir: stackFiles.dir,
    ports,
    postgresPassword: secrets.postgresPassword,
    durable: true,
    say,
  });
  const services = createServices({ root, ports, addresses: servers.addresses, secrets, processes });

  const before = new Map(stackProcessNames.map((name) => [name, processes.pid(name)]));
  await assertFree(
    Object.entries(portsByProcess(ports))
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
  return { processes, addresses: servers.addresses, receiver: nativeReceiver, more: [] };
}
