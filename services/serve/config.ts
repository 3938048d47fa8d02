import { totalmem } from 'node:os';
import { type ConfigOf, integer, type Problem, readConfig } from '#lib/config';
import { boundsWithin, bytesOf } from './budget.ts';
import { type ServedName, servedNames } from './names.ts';

const mebibyte = 1024 * 1024;

const adminPort = (service: string, port: number) =>
  integer(`HOOKLINE_${service.toUpperCase()}_ADMIN_PORT`, {
    default: String(port),
    min: 0,
    max: 65_535,
    help: `port of /metrics, /livez and /readyz of the ${service} in \`hookline serve\``,
  });

export const fields = {
  ingress: adminPort('ingress', 9080),
  api: adminPort('api', 9081),
  dedup: adminPort('dedup', 9082),
  dispatcher: adminPort('dispatcher', 9083),
  projector: adminPort('projector', 9084),
  console: adminPort('console', 9085),
  memoryBytes: integer('HOOKLINE_SERVE_MEMORY_BYTES', {
    default: String(256 * mebibyte),
    min: 64 * mebibyte,
    max: 64 * 1024 * mebibyte,
    help: 'memory for all queues and connections of `hookline serve`; limits that are not set get a share of it. The process needs about 200 MiB more',
  }),
};

type ServeConfig = ConfigOf<typeof fields>;

/** The environment of each service in the process. */
export type ServiceEnvironment = (service: ServedName) => NodeJS.ProcessEnv;

interface Options {
  env?: NodeJS.ProcessEnv;
  /** The services in the process. Default: all. */
  names?: readonly ServedName[];
  /** The memory of the machine or the container. */
  memory?: number;
}

/** @throws AppError config_invalid */
export function loadServiceEnvironment({
  env = process.env,
  names = servedNames,
  memory = memoryOfThisProcess(),
}: Options = {}): ServiceEnvironment {
  const config = readConfig<typeof fields>(fields, env, [
    ({ memoryBytes }) => fitsInto(memory, memoryBytes),
    () => noAdminPortForAll(env),
    portsDiffer,
    ({ memoryBytes }) => boundsFit(memoryBytes, env),
  ]);
  const bounds = boundsWithin(config.memoryBytes, env);
  const ofConsole = names.includes('api') ? apiOfThisProcess(env) : {};
  return (service) => ({
    ...env,
    ...bounds,
    ...(service === 'console' && ofConsole),
    HOOKLINE_ADMIN_PORT: String(config[service]),
  });
}

/**
 * The console asks the api beside it where that listens. HOOKLINE_API_URL is the api's public address then, which may lead out of the
 * machine, or to nothing from within a container. What is not valid here, the api itself refuses.
 */
function apiOfThisProcess(env: NodeJS.ProcessEnv): Record<string, string> {
  const { HOOKLINE_HOST: host = '0.0.0.0', HOOKLINE_API_PORT: port = '8081' } = env;
  // Any free port: nobody knows which.
  if (port === '0') return {};
  const name = loopbackOf[host] ?? host;
  return { HOOKLINE_API_URL: `http://${name.includes(':') ? `[${name}]` : name}:${port}` };
}

const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const memoryOfThisProcess = (): number => Math.min(totalmem(), process.constrainedMemory() || Infinity);

const fitsInto = (memory: number, memoryBytes: number): Problem[] =>
  memoryBytes <= memory / 2
    ? []
    : [`HOOKLINE_SERVE_MEMORY_BYTES=${memoryBytes} is more than half of the available memory (${memory})`];

const noAdminPortForAll = (env: NodeJS.ProcessEnv): Problem[] =>
  env.HOOKLINE_ADMIN_PORT === undefined
    ? []
    : ['HOOKLINE_ADMIN_PORT applies to a process with one service; use HOOKLINE_INGRESS_ADMIN_PORT, …'];

/** 0 is any that is free. */
function portsDiffer({ memoryBytes: _, ...ports }: ServeConfig): Problem[] {
  const given = Object.values(ports).filter((port) => port !== 0);
  return new Set(given).size === given.length ? [] : ['two services have the same HOOKLINE_…_ADMIN_PORT'];
}

function boundsFit(memoryBytes: number, env: NodeJS.ProcessEnv): Problem[] {
  const bytes = bytesOf(boundsWithin(memoryBytes, env));
  return bytes > memoryBytes
    ? [`the limits come to ${bytes} bytes, shares included: more than HOOKLINE_SERVE_MEMORY_BYTES`]
    : [];
}
