import type { ServerPorts } from './servers.ts';

/** Addresses for the services and the tests. Each server may be anywhere: the local stack, a test's own servers, a cloud. */
export interface ServerAddresses {
  kafkaBrokers: string[];
  redisUrl: string;
  /** A superuser's, of the database `hookline`. */
  databaseUrl: string;
  schemaRegistryUrl: string;
}

const host = '127.0.0.1';

/** Addresses of containers that publish these ports on this machine. */
export const serverAddressesAt = (
  { kafka, redis, postgres, registry }: Omit<ServerPorts, 'kafkaController'>,
  postgresPassword: string,
): ServerAddresses => ({
  kafkaBrokers: [`${host}:${kafka}`],
  redisUrl: `redis://${host}:${redis}`,
  databaseUrl: `postgres://hookline:${postgresPassword}@${host}:${postgres}/hookline`,
  schemaRegistryUrl: `http://${host}:${registry}/apis/ccompat/v7`,
});
