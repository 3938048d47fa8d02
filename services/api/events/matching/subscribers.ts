import { countsFrom, type PastSubscription, subscriptionAt } from '#lib/contract';
import {
  createReadHistories,
  readSubscriber,
  type Subscriber,
  subscriberColumns,
  type SubscriberRow,
} from '#lib/fan-out';
import type { Query } from '#lib/postgres';
import type { Logger } from '#lib/runtime';

/** An endpoint of the tenant, deleted ones included until they are buried. */
export interface EndpointAsked extends SubscriberRow {
  url: string;
  /** Its last change counts from then on; null: it is older than this column. */
  effective_at: string | null;
  bytes: number;
  history_revision: number;
}

/** Endpoints after this id, in the order of ids. */
export const endpointsAfter = (
  postgres: Query,
  tenant: string,
  { after, limit }: { after: string; limit: number },
): Promise<EndpointAsked[]> =>
  postgres.query(
    `SELECT ${subscriberColumns}, url, effective_at, bytes, history_revision FROM endpoints
      WHERE tenant = $1 AND NOT buried AND id > $2
      ORDER BY id
      LIMIT $3`,
    [tenant, after, limit],
  );

type StoredSubscription = Omit<PastSubscription, 'until' | 'effective_at'>;

export interface SubscriberThen {
  endpoint: EndpointAsked;
  /** With the subscription that is in force for an event of that time. */
  subscriber: Omit<Subscriber, 'ordered'>;
  /** The same, as it is stored. */
  subscription: StoredSubscription;
  /** Older changes are forgotten: of an event that is older, the subscription may be another. */
  isPruned: boolean;
}

/** Compiles only the subscription that counts in a history, which may have a hundred filters. */
export async function* subscribersAt(
  postgres: Query,
  endpoints: readonly EndpointAsked[],
  { receivedAt, log }: { receivedAt: number; log: Logger },
): AsyncGenerator<SubscriberThen> {
  for await (const [endpoint, past] of createReadHistories(postgres)(endpoints)) {
    const { tenant, id, disabled_at, deleted_at } = endpoint;
    const history = (past.history ?? []).map((entry) => ({
      ...entry,
      countsUntil: countsFrom(entry.effective_at, entry.until),
    }));
    const now = { ...endpoint, open: disabled_at === null && deleted_at === null };
    const subscription = subscriptionAt<StoredSubscription>(history, now, receivedAt);
    const subscriber = readSubscriber({ ...endpoint, ...subscription, history: [] }, undefined, (error) =>
      log.error({ event: 'endpoint.unreadable', tenant, endpointId: id, err: error }),
    );
    yield {
      endpoint,
      // Whether it was open is not in the row: an endpoint that is deleted now can have been open then.
      subscriber: { ...subscriber, subscription: { ...subscriber.subscription, open: subscription.open } },
      subscription,
      isPruned: past.historyRevision > history.length,
    };
  }
}
