import { dirname, join } from 'node:path';
import { assertRoom } from '../install/disk-room.ts';
import { provideTools } from '../install/install.ts';
import { provideJars } from '../install/jars.ts';
import { java, maven, postgresServer, redisServer } from '../install/tools.ts';
import { jarsDir, pomFile } from '../paths.ts';
import { createProcesses, type Processes } from '../processes/processes.ts';
import { type Broker, createKafka, type Kafka } from './kafka.ts';
import { createPostgres, type Postgres, postgresStopSignal } from './postgres.ts';
import { createRedis, type Redis } from './redis.ts';
import { createRegistry, type Registry } from './registry.ts';
import { postgresUser } from './run-as.ts';
import type { ServerAddresses } from './server-addresses.ts';

export interface ServerPorts {
  kafka: number;
  kafkaController: number;
  redis: number;
  postgres: number;
  registry: number;
}

export interface ServersOptions {
  /** Data, logs and pids go below it. */
  dir: string;
  ports: ServerPorts;
  /** Default: one, at the ports given. */
  brokers?: readonly Broker[];
  postgresPassword: string;
  /** False for tests: see PostgresOptions. */
  durable: boolean;
  say: (line: string) => void;
}

export interface Servers {
  addresses: ServerAddresses;
  processes: Processes;
  kafka: Kafka;
  redis: Redis;
  postgres: Postgres;
  registry: Registry;
  /** Starts those that don't run; resolves when all are ready. Calls `onReady` for each. */
  start(onReady?: (name: string) => void): Promise<void>;
  /** Stops the running ones, dependents first. */
  stop(): Promise<void>;
}

/** Room for new databases and a few thousand records. */
const leastMebibytes = 300;

/** Kafka, Redis, Postgres and the schema registry, in one folder. Installs and downloads what is missing. */
export async function createServers({
  dir,
  ports,
  brokers = [{ id: 1, port: ports.kafka, controllerPort: ports.kafkaController }],
  postgresPassword,
  durable,
  say,
}: ServersOptions): Promise<Servers> {
  const programs = await provideTools({ java, redisServer, postgresServer }, say);
  const jars = await provideServerJars(programs.java, say);
  const processes = createProcesses({ run: join(dir, 'run'), log: join(dir, 'log') });
  const kafka = createKafka({
    dir,
    brokers,
    processes,
    java: programs.java,
    jars: jars.kafka,
    shortLived: !durable,
  });
  const registry = createRegistry({
    port: ports.registry,
    postgres: { port: ports.postgres, password: postgresPassword },
    processes,
    java: programs.java,
    jars: jars.registry,
  });
  const redis = createRedis({ dir, port: ports.redis, processes, program: programs.redisServer });
  const postgres = createPostgres({
    dir,
    port: ports.postgres,
    processes,
    bin: dirname(programs.postgresServer),
    password: postgresPassword,
    runAs: postgresUser(),
    durable,
    say,
  });
  return {
    addresses: {
      kafkaBrokers: kafka.bootstrap,
      redisUrl: redis.url,
      databaseUrl: postgres.url,
      schemaRegistryUrl: registry.url,
    },
    processes,
    kafka,
    redis,
    postgres,
    registry,
    async start(onReady = () => undefined) {
      assertRoom(dir, leastMebibytes);
      const started = (server: { start(): Promise<void> }, name: string): Promise<void> =>
        server.start().then(() => onReady(name));
      await Promise.all([
        started(redis, 'redis'),
        started(kafka, 'kafka'),
        started(postgres, 'postgres').then(() => started(registry, 'registry')),
      ]);
    },
    stop: () => stopServers(processes),
  };
}

/** Kafka's and the registry's jars, downloaded the first time; Maven is installed only for that. */
export const provideServerJars = (javaProgram: string, say: (line: string) => void) =>
  provideJars({
    pom: pomFile,
    dir: jarsDir,
    programs: async () => ({ java: javaProgram, ...(await provideTools({ maven }, say)) }),
    say,
  });

/** Uses only their pids: works after any start, and installs nothing. */
export async function stopServers(processes: Processes): Promise<void> {
  const stopPostgres = (): Promise<void> => processes.stop('postgres', { signal: postgresStopSignal });
  const brokers = processes.names().filter((name) => /^kafka(-\d+)?$/.test(name));
  await Promise.all([
    processes.stop('redis'),
    ...brokers.map((name) => processes.stop(name)),
    processes.stop('registry').then(stopPostgres),
  ]);
}
