import { compilePassHeaders } from '#lib/contract';
import { createPools, directoryPool, type PostgresAccess } from '#lib/postgres';
import type { Clock, Logger, Part } from '#lib/runtime';
import type { Metrics } from '#lib/telemetry';
import { createEndpointDirectory, type EndpointDirectory } from './endpoint-directory.ts';
import { readSubscriber, type Subscriber, subscriberColumns, type SubscriberRow } from './subscriber.ts';

interface Row extends SubscriberRow {
  ordered: boolean;
  pass_headers: string[] | null;
}

interface Options {
  database: PostgresAccess;
  /** The process's name; the connection is named after it, with `-directory`. */
  name: string;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** The directory for processes that fan out but don't send: without addresses and secrets, on its own connection. */
export function openSubscriberDirectory({ database, name, clock, log, metrics }: Options): {
  directory: EndpointDirectory;
  parts: Part[];
} {
  const postgres = createPools({ ...database, name, log, metrics })(directoryPool);
  const directory = createEndpointDirectory<Row, Subscriber>({
    postgres,
    columns: `${subscriberColumns}, coalesce((settings->>'ordered')::boolean, false) AS ordered,
      settings->'pass_headers' AS pass_headers`,
    read: (row, before) => ({
      ...readSubscriber(row, before, (error) =>
        log.error({ event: 'endpoint.unreadable', tenant: row.tenant, endpointId: row.id, err: error }),
      ),
      ordered: row.ordered,
      passHeaders: compilePassHeaders(row.pass_headers),
    }),
    clock,
    log,
  });
  return { directory, parts: [postgres, directory] };
}
