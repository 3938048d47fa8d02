import type { Clock } from '#lib/clock';
import type { Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import type { Query } from '#lib/postgres';
import { createEndpointDirectory, type EndpointDirectory } from './endpoint-directory.ts';
import { readSubscriber, type Subscriber, subscriberColumns, type SubscriberRow } from './subscriber.ts';

interface Row extends SubscriberRow {
  ordered: boolean;
}

/** For whoever fans out and sends nothing: without addresses and secrets. */
export const createSubscriberDirectory = (deps: {
  postgres: Query;
  clock: Clock;
  log: Logger;
}): EndpointDirectory & Part =>
  createEndpointDirectory<Row, Subscriber>({
    ...deps,
    columns: `${subscriberColumns}, coalesce((settings->>'ordered')::boolean, false) AS ordered`,
    read: (row, before) => ({
      ...readSubscriber(row, before, (error) =>
        deps.log.error({ event: 'endpoint.unreadable', tenant: row.tenant, endpointId: row.id, err: error }),
      ),
      ordered: row.ordered,
    }),
  });
