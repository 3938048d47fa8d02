/** `.hookline/local.env`: what users, scripts and the CLI read of the running stack. */
import { readKeyValueFile, writeKeyValueFile } from '../key-value-file.ts';
import { serviceNames, type StackPorts } from './ports.ts';
import { catalogTenant } from './services.ts';
import type { RunningStack } from './stack.ts';
import { urlsAt } from './stack-urls.ts';

type Pids = Pick<RunningStack['processes'], 'pid'>;

export function writeLocalEnv(
  file: string,
  { processes, addresses, receiver }: RunningStack,
  ports: StackPorts,
  adminKey: string,
): void {
  const { url, adminUrl } = urlsAt(ports);
  const adminUrls = serviceNames.map((name) => [`${name.toUpperCase()}_ADMIN_URL`, adminUrl(name)]);
  writeKeyValueFile(file, {
    HOOKLINE_INGRESS_URL: url('ingress'),
    HOOKLINE_API_URL: url('api'),
    HOOKLINE_CONSOLE_URL: url('console'),
    HOOKLINE_CATALOG_TENANT: catalogTenant,
    HOOKLINE_ADMIN_KEY: adminKey,
    HOOKLINE_KAFKA_BROKERS: addresses.kafkaBrokers.join(','),
    HOOKLINE_REDIS_URL: addresses.redisUrl,
    HOOKLINE_DATABASE_URL: addresses.databaseUrl,
    HOOKLINE_SCHEMA_REGISTRY_URL: addresses.schemaRegistryUrl,
    HOOKLINE_RECEIVER_HOST: receiver.host,
    HOOKLINE_RECEIVER_LISTEN_ON: receiver.listenOn.at(-1) ?? receiver.host,
    ...pidsOf(processes),
    ...(Object.fromEntries(adminUrls) as Record<string, string>),
  });
}

/** Called after a process was restarted. Without the file the stack is not up, and none is created. */
export function writePids(file: string, processes: Pids): void {
  const values = readKeyValueFile(file);
  if (values !== undefined) writeKeyValueFile(file, { ...values, ...pidsOf(processes) });
}

const pidsOf = (processes: Pids): Record<string, string> =>
  Object.fromEntries(
    [...serviceNames, 'kafka', 'redis', 'postgres'].map((name) => [
      `${name.toUpperCase()}_PID`,
      String(processes.pid(name) ?? ''),
    ]),
  );
