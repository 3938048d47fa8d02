import type { OutgoingRecord } from '#lib/kafka';
import { forEachLimited } from './for-each-limited.ts';

export interface Publication {
  record: OutgoingRecord;
  /** Records of one order are published one after the other; undefined where it has none. */
  order: string | undefined;
}

/**
 * Publishes all of them, at most `limit` at once. A record that is not acknowledged is sent again, and may then stand behind one that was
 * sent after it: where the order counts, the next waits for the acknowledgment.
 */
export async function publishAll<P extends Publication>(
  publications: Iterable<P>,
  { publish, limit }: { publish: (publication: P) => Promise<void>; limit: number },
): Promise<void> {
  const last = new Map<string, Promise<void>>();
  await forEachLimited(publications, limit, (publication) => {
    const { order } = publication;
    if (order === undefined) return publish(publication);
    const published = (last.get(order) ?? Promise.resolve()).then(() => publish(publication));
    last.set(order, published);
    return published;
  });
}
