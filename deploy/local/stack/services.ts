import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../config.ts';
import { StackError } from '../failure.ts';
import { compileCacheDir } from '../paths.ts';
import { filesFingerprint } from '../processes/fingerprint.ts';
import type { Processes, Program } from '../processes/processes.ts';
import { startReady } from '../processes/ready.ts';
import type { ServerAddresses } from '../servers/server-addresses.ts';
import { isSuccess, request } from '../smoke/http-request.ts';
import { nodeOptions, serviceAllocator } from './node-options.ts';
import { type ServiceName, serviceNames, type StackPorts } from './ports.ts';
import { hostOf, type ProcessMode, serveName } from './process-mode.ts';
import type { StackSecrets } from './secrets.ts';
import { urlsAt } from './stack-urls.ts';

const run = promisify(execFile);

export const topicPrefix = 'hookline.';
/** Whose event types the catalog shows: the tenant that is used where none is named. */
export const catalogTenant = 'default';

export interface ServicesOptions {
  root: string;
  mode: ProcessMode;
  ports: StackPorts;
  addresses: ServerAddresses;
  secrets: StackSecrets;
  processes: Processes;
  /** Additional variables. */
  env?: Readonly<Record<string, string>>;
}

export interface Services {
  /** `hookline setup`: migrations, topics, schemas. */
  setUp(): Promise<void>;
  /** Starts those that don't run; resolves when all are ready. Calls `onReady` for each. */
  start(onReady?: (name: string) => void): Promise<void>;
  /** The processes that they are in. */
  readonly processNames: readonly string[];
  /** Starts one of them if it doesn't run; does not wait until it is ready. */
  launch(processName: string): Promise<void>;
}

const startTimeoutMs = 60_000;
const setupTimeoutMs = 120_000;

export function createServices({ root, mode, ports, addresses, secrets, processes, env }: ServicesOptions): Services {
  const { url, adminUrl } = urlsAt(ports);
  const environment = {
    HOOKLINE_ENV: 'development',
    HOOKLINE_HOST: '127.0.0.1',
    HOOKLINE_KAFKA_BROKERS: addresses.kafkaBrokers.join(','),
    HOOKLINE_TOPIC_PREFIX: topicPrefix,
    HOOKLINE_TOPIC_PARTITIONS: '6',
    HOOKLINE_TOPIC_REPLICATION: '1',
    HOOKLINE_REDIS_URL: addresses.redisUrl,
    HOOKLINE_DATABASE_URL: addresses.databaseUrl,
    HOOKLINE_SCHEMA_REGISTRY_URL: addresses.schemaRegistryUrl,
    HOOKLINE_ENCRYPTION_KEYS: secrets.encryptionKeys,
    HOOKLINE_ADMIN_KEY: secrets.adminKey,
    HOOKLINE_INGRESS_PORT: String(ports.ingress),
    HOOKLINE_INGRESS_URL: url('ingress'),
    HOOKLINE_API_PORT: String(ports.api),
    HOOKLINE_API_URL: url('api'),
    HOOKLINE_API_DOCS_URL: `${url('api')}/docs`,
    HOOKLINE_CONSOLE_PORT: String(ports.console),
    HOOKLINE_CONSOLE_URL: url('console'),
    HOOKLINE_PORTAL_URL: url('console'),
    HOOKLINE_CATALOG_TENANT: catalogTenant,
    HOOKLINE_CATALOG_KEY: secrets.adminKey,
    HOOKLINE_ALLOW_HTTP: 'true',
    HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
    NODE_COMPILE_CACHE: compileCacheDir,
    ...serviceAllocator,
    ...env,
  };

  const node = { command: process.execPath, cwd: root };
  const shared = [join(root, 'libs'), join(root, 'packages/client/src')];
  const programOf = (service: ServiceName): Program => ({
    ...node,
    name: service,
    args: [...nodeOptions.separate, join('services', service, 'main.ts')],
    env: { ...environment, HOOKLINE_ADMIN_PORT: String(ports.admin[service]) },
    made: filesFingerprint([join(root, 'services', service), ...shared]),
  });
  const programOfAll = (): Program => ({
    ...node,
    name: serveName,
    args: [...nodeOptions.one, join('services', 'cli', 'main.ts'), 'serve'],
    env: {
      ...environment,
      ...Object.fromEntries(
        serviceNames.map((name) => [`HOOKLINE_${name.toUpperCase()}_ADMIN_PORT`, String(ports.admin[name])]),
      ),
    },
    made: filesFingerprint([join(root, 'services'), ...shared]),
  });
  const groups: readonly { program(): Program; services: readonly ServiceName[] }[] =
    mode === 'one'
      ? [{ program: programOfAll, services: serviceNames }]
      : serviceNames.map((name) => ({ program: () => programOf(name), services: [name] }));
  const nameOf = ({ services }: (typeof groups)[number]): string => hostOf(services[0] ?? '', mode);

  async function isReadyAt(service: ServiceName): Promise<boolean> {
    return isSuccess(await request(`${adminUrl(service)}/readyz`, { timeoutMs: 5_000 }));
  }

  return {
    async setUp() {
      try {
        await run(process.execPath, [join('services/cli/main.ts'), 'setup'], {
          cwd: root,
          env: childEnvironment(environment),
          timeout: setupTimeoutMs,
        });
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
        throw new StackError(`hookline setup failed\n${`${stdout}${stderr}`.trim()}`, { cause: error });
      }
    },
    async start(onReady = () => undefined) {
      await Promise.all(
        groups.map(async (group) => {
          const areReady = async (): Promise<true | undefined> =>
            (await Promise.all(group.services.map(isReadyAt))).every(Boolean) || undefined;
          await startReady(processes, group.program(), areReady, startTimeoutMs);
          onReady(nameOf(group));
        }),
      );
    },
    processNames: groups.map(nameOf),
    async launch(processName) {
      const group = groups.find((each) => nameOf(each) === processName);
      if (group !== undefined) await processes.start(group.program());
    },
  };
}
