import { createEndpointDirectory as createDirectory, type EndpointDirectory as Directory } from '#lib/fan-out';
import type { Query } from '#lib/postgres';
import { type Clock, type Logger, nowMicros, type Part } from '#lib/runtime';
import type { SecretBox } from '#lib/secret-box';
import { type Endpoint, endpointColumns, endpointOf, type EndpointRow, isPaused } from '../model/endpoint.ts';
import { laneKey } from '../model/job.ts';

export interface EndpointDirectory extends Directory<Endpoint> {
  /** The endpoints that are paused now. */
  paused(): Iterable<Endpoint>;
}

interface Deps {
  postgres: Query;
  secretBox: SecretBox;
  /** The window of retry settings that have none. */
  longestWindowMs: number;
  longestLifeMs: number;
  clock: Clock;
  log: Logger;
}

/** Every endpoint, with everything needed to send to it. */
export function createEndpointDirectory(deps: Deps): EndpointDirectory & Part {
  const { secretBox, longestWindowMs, longestLifeMs, log, clock } = deps;
  /** As they were last read; few endpoints have any. */
  const withPauses = new Map<string, Endpoint>();
  const directory = createDirectory<EndpointRow, Endpoint>({
    ...deps,
    columns: endpointColumns,
    read(row, before) {
      const onUnreadable = (error: Error): void =>
        log.error({ event: 'endpoint.unreadable', tenant: row.tenant, endpointId: row.id, err: error });
      const endpoint = endpointOf(row, { secretBox, longestWindowMs, longestLifeMs, onUnreadable }, before);
      const key = laneKey({ tenant: row.tenant, endpointId: row.id });
      if (endpoint.pauses.length > 0) withPauses.set(key, endpoint);
      else withPauses.delete(key);
      return endpoint;
    },
  });
  return {
    ...directory,
    *paused() {
      const now = nowMicros(clock);
      for (const [key, { tenant, id }] of withPauses) {
        const endpoint = directory.get(tenant, id);
        if (endpoint === undefined) withPauses.delete(key);
        else if (isPaused(endpoint, now)) yield endpoint;
      }
    },
  };
}
