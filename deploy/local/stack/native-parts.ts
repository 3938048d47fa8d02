import { root, stackFiles } from '../paths.ts';
import type { Processes } from '../processes/processes.ts';
import { createServers, type Servers } from '../servers/servers.ts';
import type { Supervised } from '../supervise/supervisor.ts';
import type { StackPorts } from './ports.ts';
import type { ProcessMode } from './process-mode.ts';
import type { StackSecrets } from './secrets.ts';
import { createServices, type Services } from './services.ts';

interface NativeParts {
  servers: Servers;
  services: Services;
  /** Each by itself, the servers before the services, which need them. */
  programs: Supervised[];
}

/**
 * All parts of the stack as local processes; starts nothing.
 *
 * @param dir the data of the servers
 * @param env additional variables of the services
 */
export async function createNativeParts(
  ports: StackPorts,
  mode: ProcessMode,
  secrets: StackSecrets,
  processes: Processes,
  say: (line: string) => void,
  { dir = stackFiles.dir, env = {} }: { dir?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<NativeParts> {
  const { postgresPassword } = secrets;
  const servers = await createServers({ dir, ports, postgresPassword, durable: true, say });
  const services = createServices({ root, mode, ports, addresses: servers.addresses, secrets, processes, env });
  const serverNames = ['redis', 'kafka', 'postgres', 'registry'] as const;
  return {
    servers,
    services,
    programs: [
      ...serverNames.map((name) => ({ name, launch: () => servers[name].launch() })),
      ...services.processNames.map((name) => ({ name, launch: () => services.launch(name) })),
    ],
  };
}
