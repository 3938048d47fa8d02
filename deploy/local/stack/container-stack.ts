import { createServer, isIP } from 'node:net';
import { type Compose } from '../../docker/compose.ts';
import { monitoringAt } from '../../docker/compose-environment.ts';
import { say } from '../command.ts';
import { serverAddressesAt } from '../servers/server-addresses.ts';
import { assertOwnData } from './own-data.ts';
import { assertFree, portsByProcess, type StackPorts } from './ports.ts';
import { byPart, hostOf, type ProcessMode } from './process-mode.ts';
import type { StackSecrets } from './secrets.ts';
import type { RunningStack } from './stack.ts';

/** Starts docker-compose.yml, whose images are there. @param seconds since the beginning, for people */
export async function startContainers(
  compose: Compose,
  { ports, mode, secrets, offset }: { ports: StackPorts; mode: ProcessMode; secrets: StackSecrets; offset: number },
  seconds: () => string,
): Promise<RunningStack> {
  const running = new Set(compose.running());
  await assertFree(
    Object.entries(portsByProcess(ports, mode))
      .filter(([name]) => !running.has(name))
      .flatMap(([process, its]) =>
        its.filter((port) => port !== ports.kafkaController).map((port) => ({ process, port })),
      ),
  );
  const addresses = serverAddressesAt(ports, secrets.postgresPassword);
  await assertOwnData(compose, addresses.databaseUrl);
  await compose.up();
  say(`  all containers are healthy after ${seconds()}`);
  const { prometheus, grafana } = monitoringAt(offset);
  const at = '127.0.0.1';
  return {
    processes: byPart(compose, mode),
    addresses,
    receiver: await receiverSeenFromContainers(compose, mode),
    more: [
      ['prometheus', `http://${at}:${prometheus}`],
      ['grafana', `http://${at}:${grafana}`],
    ],
  };
}

const receiverHost = 'host.docker.internal';

/**
 * The dispatcher's container knows this machine by a name that leads to the bridge of the engine; where the engine has a machine of its own,
 * that leads to the loopback of this one.
 */
export async function receiverSeenFromContainers(
  compose: Compose,
  mode: ProcessMode,
): Promise<RunningStack['receiver']> {
  const lookUp = `require('dns').lookup('${receiverHost}', { family: 4 }, (_error, address = '') => console.log(address))`;
  const gateway = (await compose.run(hostOf('dispatcher', mode), ['/usr/local/bin/node', '-e', lookUp])).trim();
  return { host: receiverHost, listenOn: ['127.0.0.1', ...((await isOurs(gateway)) ? [gateway] : [])] };
}

/** Asked by listening there: a bridge on which no container stands at the moment is not among the interfaces that Node lists. */
async function isOurs(address: string): Promise<boolean> {
  if (isIP(address) === 0) return false;
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen({ host: address, port: 0 }, () => server.close(() => resolve(true)));
  });
}
