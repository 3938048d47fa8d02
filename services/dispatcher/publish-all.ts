import type { OutgoingRecord } from '#lib/kafka';
import { forEachLimited } from './for-each-limited.ts';
import type { Publish } from './publish.ts';

export interface Publication {
  record: OutgoingRecord;
  /** Records of one order are published one after the other; undefined where it has none. */
  order: string | undefined;
}

/**
 * Publishes all of them, at most `limit` at once. A record that is not acknowledged is sent again, and may then stand behind one that was
 * sent after it: where the order counts, the next waits for the acknowledgment.
 */
export async function publishAll(
  publications: Iterable<Publication>,
  { publish, limit, signal }: { publish: Publish; limit: number; signal: AbortSignal },
): Promise<void> {
  const last = new Map<string, Promise<void>>();
  await forEachLimited(publications, limit, ({ record, order }) => {
    if (order === undefined) return publish(record, signal);
    const published = (last.get(order) ?? Promise.resolve()).then(() => publish(record, signal));
    last.set(order, published);
    return published;
  });
}
