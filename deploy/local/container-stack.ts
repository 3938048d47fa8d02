import { networkInterfaces } from 'node:os';
import { monitoringAt } from '../docker/compose-environment.ts';
import { type Compose } from '../docker/compose.ts';
import { docker } from '../docker/engine.ts';
import { say } from './command.ts';
import { assertFree, portsByProcess, type StackPorts } from './ports.ts';
import { serverAddressesAt } from './server-addresses.ts';
import type { StackSecrets } from './secrets.ts';
import type { RunningStack } from './stack.ts';

/** Starts docker-compose.yml, whose images are there. @param seconds since the beginning, for people */
export async function startContainers(
  compose: Compose,
  { ports, secrets, offset }: { ports: StackPorts; secrets: StackSecrets; offset: number },
  seconds: () => string,
): Promise<RunningStack> {
  const running = new Set(compose.running());
  await assertFree(
    Object.entries(portsByProcess(ports))
      .filter(([name]) => !running.has(name))
      .flatMap(([process, its]) =>
        its.filter((port) => port !== ports.kafkaController).map((port) => ({ process, port })),
      ),
  );
  await compose.up();
  say(`  all containers are healthy after ${seconds()}`);
  const { prometheus, grafana } = monitoringAt(offset);
  const at = '127.0.0.1';
  return {
    processes: compose,
    addresses: serverAddressesAt(ports, secrets.postgresPassword),
    receiver: await receiverSeenFromContainers(),
    more: [
      ['prometheus', `http://${at}:${prometheus}`],
      ['grafana', `http://${at}:${grafana}`],
    ],
  };
}

/**
 * The dispatcher's container knows this machine by a name that leads to the bridge of the engine; where the engine has a machine of its own,
 * that leads to the loopback of this one.
 */
export async function receiverSeenFromContainers(): Promise<RunningStack['receiver']> {
  const gateway = (
    await docker(['network', 'inspect', 'bridge', '--format', '{{range .IPAM.Config}}{{.Gateway}}{{end}}'])
  ).trim();
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
  const bridge = own.includes(gateway) ? [gateway] : [];
  return { host: 'host.docker.internal', listenOn: ['127.0.0.1', ...bridge] };
}
