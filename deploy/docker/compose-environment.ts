import type { StackPorts } from '../local/stack/ports.ts';
import type { StackSecrets } from '../local/stack/secrets.ts';

/** The ports of what only the containers have. */
export const monitoringAt = (offset: number) => ({ prometheus: 9090 + offset, grafana: 3001 + offset });

/**
 * The variables that docker-compose.yml reads: the stack's secrets, and the address of each container on this machine.
 *
 * @param offset added to every port
 */
export function composeEnvironment(ports: StackPorts, secrets: StackSecrets, offset: number): Record<string, string> {
  const { kafka, redis, postgres, registry, ingress, api, console } = ports;
  const single = { kafka, redis, postgres, registry, ingress, api, console };
  const named = (prefix: string, numbers: Readonly<Record<string, number>>): Record<string, string> =>
    Object.fromEntries(Object.entries(numbers).map(([name, port]) => [`${prefix}${name.toUpperCase()}`, String(port)]));
  return {
    HOOKLINE_ENCRYPTION_KEYS: secrets.encryptionKeys,
    HOOKLINE_ADMIN_KEY: secrets.adminKey,
    HOOKLINE_POSTGRES_PASSWORD: secrets.postgresPassword,
    ...named('HOOKLINE_PORT_', single),
    ...named('HOOKLINE_PORT_ADMIN_', ports.admin),
    ...named('HOOKLINE_PORT_', monitoringAt(offset)),
  };
}
