import { readFileSync } from 'node:fs';

/** The services that work on events, in the order of an event's way. */
export const pipelineServices = ['ingress', 'dedup', 'dispatcher', 'projector', 'api'] as const;
export type PipelineService = (typeof pipelineServices)[number];
export const serviceNames = [...pipelineServices, 'console'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** The addresses of a running Hookline, and all that a checker needs to see of it. */
export interface Stack {
  ingressUrl: string;
  apiUrl: string;
  adminKey: string;
  kafkaBrokers: readonly string[];
  topicPrefix: string;
  databaseUrl: string;
  schemaRegistryUrl: string;
}

/** The local stack, by the file that starting it writes. */
export function readLocalStack(file: string): Stack {
  const values = new Map(
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
        return name === undefined || value === undefined ? [] : [[name, value] as const];
      }),
  );
  const value = (name: string, otherwise?: string): string => {
    const found = values.get(name) ?? otherwise;
    if (found === undefined) throw new Error(`${file} has no ${name}: is the stack up?`);
    return found;
  };
  return {
    ingressUrl: value('HOOKLINE_INGRESS_URL'),
    apiUrl: value('HOOKLINE_API_URL'),
    adminKey: value('HOOKLINE_ADMIN_KEY'),
    kafkaBrokers: value('HOOKLINE_KAFKA_BROKERS').split(','),
    topicPrefix: value('HOOKLINE_TOPIC_PREFIX', 'hookline.'),
    databaseUrl: value('HOOKLINE_DATABASE_URL'),
    schemaRegistryUrl: value('HOOKLINE_SCHEMA_REGISTRY_URL'),
  };
}
