import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StackError } from '../failure.ts';
import { fewArenas, fewWakeUps, quickStart } from '../install/java.ts';
import type { Processes, Program } from '../processes/processes.ts';
import { startReady } from '../processes/ready.ts';
import { isSuccess, request } from '../smoke/http-request.ts';

export interface RegistryOptions {
  port: number;
  /** It keeps its schemas there, in a database of its own, so that their ids outlive the process. */
  postgres: { port: number; password: string };
  processes: Processes;
  /** The program, version 17 or later. */
  java: string;
  /** The folder that its archive was unpacked into. */
  jars: string;
}

export interface Registry {
  /** Base URL of the Confluent-compatible API. */
  url: string;
  /** Needs Postgres to be ready. */
  start(): Promise<void>;
  /** Starts it if it doesn't run; does not wait until it is ready. */
  launch(): Promise<void>;
  stop(): Promise<void>;
  healthy(): Promise<boolean>;
}

const startTimeoutMs = 120_000;

export function createRegistry({ port, postgres, processes, java, jars }: RegistryOptions): Registry {
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  const answers = async (): Promise<true | undefined> => {
    return isSuccess(await request(`${url}/subjects`, { timeoutMs: 5_000 })) || undefined;
  };
  const server = (): Program => ({
    name: 'registry',
    command: java,
    args: [...quickStart, ...fewWakeUps, '-Xms32m', '-Xmx256m', '-jar', runnerIn(jars)],
    env: {
      ...fewArenas,
      QUARKUS_HTTP_HOST: '127.0.0.1',
      QUARKUS_HTTP_PORT: String(port),
      // Health and metrics of its own, on all interfaces by default.
      QUARKUS_MANAGEMENT_HOST_ENABLED: 'false',
      APICURIO_STORAGE_KIND: 'sql',
      APICURIO_STORAGE_SQL_KIND: 'postgresql',
      APICURIO_DATASOURCE_URL: `jdbc:postgresql://127.0.0.1:${postgres.port}/registry`,
      APICURIO_DATASOURCE_USERNAME: 'hookline',
      APICURIO_DATASOURCE_PASSWORD: postgres.password,
      APICURIO_DATASOURCE_JDBC_INITIAL_SIZE: '1',
      APICURIO_DATASOURCE_JDBC_MIN_SIZE: '1',
      APICURIO_DATASOURCE_JDBC_MAX_SIZE: '5',
    },
    cwd: jars,
  });
  return {
    url,
    start: async () => startReady(processes, server(), answers, startTimeoutMs),
    launch: async () => void (await processes.start(server())),
    stop: () => processes.stop('registry'),
    healthy: () => answers().then(Boolean, () => false),
  };
}

function runnerIn(jars: string): string {
  const runner = readdirSync(jars).find((file) => file.endsWith('-runner.jar'));
  if (runner === undefined)
    throw new StackError(`${jars} has no *-runner.jar: remove the folder, and it is downloaded again`);
  return join(jars, runner);
}
