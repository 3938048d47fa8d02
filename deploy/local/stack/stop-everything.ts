import type { Processes } from '../processes/processes.ts';
import { stopServers } from '../servers/servers.ts';

/** Erlang's port mapper is there for RabbitMQ, and so goes after it. */
const peerServers = ['rabbitmq', 'epmd'];
const isServer = (name: string): boolean =>
  /^(kafka(-\d+)?|redis|postgres|registry)$/.test(name) || peerServers.includes(name);

/**
 * Stops all running ones by their pids: first the users of servers, then the servers.
 *
 * @param except the process not to stop
 */
export async function stopEverything(processes: Processes, except = 'holder'): Promise<void> {
  const others = processes.names().filter((name) => !isServer(name) && name !== except);
  await Promise.all(others.map((name) => processes.stop(name)));
  for (const name of peerServers) await processes.stop(name);
  await stopServers(processes);
}
