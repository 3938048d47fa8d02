import type { Clock } from '#lib/clock';
import { createEndpointDirectory as createDirectory, type EndpointDirectory as Directory } from '#lib/fan-out';
import type { Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import type { Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';
import { type Endpoint, endpointColumns, endpointOf, type EndpointRow } from '../model/endpoint.ts';

export type EndpointDirectory = Directory<Endpoint>;

interface Deps {
  postgres: Query;
  secretBox: SecretBox;
  /** The window of retry settings that have none. */
  longestWindowMs: number;
  clock: Clock;
  log: Logger;
}

/** Every endpoint, with everything needed to send to it. */
export function createEndpointDirectory(deps: Deps): EndpointDirectory & Part {
  const { secretBox, longestWindowMs, log } = deps;
  return createDirectory<EndpointRow, Endpoint>({
    ...deps,
    columns: endpointColumns,
    read(row, before) {
      const onUnreadable = (error: Error): void =>
        log.error({ event: 'endpoint.unreadable', tenant: row.tenant, endpointId: row.id, err: error });
      return endpointOf(row, { secretBox, longestWindowMs, onUnreadable }, before);
    },
  });
}
