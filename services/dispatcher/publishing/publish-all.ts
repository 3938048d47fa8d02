import type { OutgoingRecord } from '#lib/kafka';

export interface Publication {
  record: OutgoingRecord;
  /** Records of one order are published one after the other; undefined: no order. */
  order: string | undefined;
}

/**
 * Publishes all records, at most `limit` at once. An unacknowledged record is sent again, and may then follow a later one: if the order
 * counts, the next waits for the acknowledgment.
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

/** Runs `work` on every item, at most `limit` at a time, starting in order. Rejects with the first failure; items under way still run to their ends. */
export async function forEachLimited<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = Iterator.from(items);
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
